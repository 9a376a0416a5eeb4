// How something ended that the panel did by itself: what was thrown for the log, the rest for the audit log.
import { asRefusal } from '../platform/http/answer.ts'
import type { PanelAction } from './remediate.ts'

export interface Attempt<T> extends Pick<PanelAction, 'refusal' | 'duration_ms'> {
  /** Null after a failure. */
  readonly result: T | null
  /** What was thrown, where there is a refusal. */
  readonly failure: unknown
}

/** Never throws. */
export async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  const began = performance.now()
  const passed = (): number => Math.round(performance.now() - began)
  try {
    const result = await work()
    return { result, failure: null, refusal: null, duration_ms: passed() }
  } catch (failure) {
    return { result: null, failure, refusal: asRefusal(failure), duration_ms: passed() }
  }
}
