// One probe for everybody who asks at about the same time.
import type { ReadContext } from '../../platform/context.ts'

/** Health is public, so the host is probed at most once in this time. */
const CACHED_MS = 1000

/** Callers within a second share one probe. */
export const cached = <T>(probe: (context: ReadContext) => Promise<T>): ((context: ReadContext) => Promise<T>) => {
  let last: { at: number; found: Promise<T> } | null = null
  return (context) => {
    const at = context.now().getTime()
    if (!last || at - last.at >= CACHED_MS || at < last.at) last = { at, found: probe(context) }
    return last.found
  }
}
