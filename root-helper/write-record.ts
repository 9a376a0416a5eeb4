// What the log says of each requested change: method, names, outcome and duration. Never its content.
import { METHODS, type MethodName, type MethodsThat, type Params } from '@panel/shared/rpc/methods.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { changedDestinations } from '@panel/shared/network/canonical.ts'
import { changedIds } from '@panel/shared/ruleset/plan.ts'
import { asStates, changedNames } from '@panel/shared/tunnel/plans.ts'
import { KernelError } from './kernel-error.ts'
import { RefusedError } from './refused.ts'
import { messageOf, oneLine } from './text.ts'

type WriteName = MethodsThat<'write'>

export interface WriteRecord {
  readonly method: WriteName
  /** Interfaces, ids of rules or destinations of networks; a long list is cut. */
  readonly names: readonly (string | number)[]
  readonly names_total: number
  readonly outcome: Outcome['outcome'] | 'done' | 'refused' | 'failed'
  readonly steps: readonly string[]
  /** Why it did not succeed; "" if it did. */
  readonly reason: string
  readonly duration_ms: number
}

const NAMES: { readonly [M in WriteName]: (params: Params<M>) => readonly (string | number)[] } = {
  'tunnel.apply': (change) => changedNames(asStates(change)),
  'tunnel.adopt': ({ interface_name }) => [interface_name],
  'tunnel.release': ({ interface_name }) => [interface_name],
  'ruleset.apply': changedIds,
  'ruleset.forget': ({ route_rule_ids }) => route_rule_ids,
  'ruleset.disconnect': ({ route_rule_ids }) => route_rule_ids,
  'ruleset.protect': () => [],
  'network.apply': changedDestinations,
  'window.open': ({ window_id }) => [window_id],
  'window.extend': ({ window_id }) => [window_id],
  'window.confirm': ({ window_id }) => [window_id],
  'window.cancel': ({ window_id }) => [window_id],
  'window.forget': ({ window_id }) => [window_id],
  'forwarding.apply': ({ after }) => Object.keys(after?.live ?? {}),
}
const MAX_NAMES = 50
const MAX_REASON = 300

export function isWrite(name: MethodName): name is WriteName {
  return METHODS[name].effect === 'write'
}

/** Carries it out, and hands its record on however it ends. */
export async function recorded<T>(
  [method, params]: readonly [WriteName, unknown],
  work: () => Promise<T>,
  onRecord: (record: WriteRecord) => void,
): Promise<T> {
  const started = performance.now()
  const all = [...new Set((NAMES[method] as (params: unknown) => readonly (string | number)[])(params))]
  const record = (ending: Pick<WriteRecord, 'outcome' | 'steps' | 'reason'>): void =>
    onRecord({
      method,
      names: all.slice(0, MAX_NAMES),
      names_total: all.length,
      ...ending,
      reason: oneLine(ending.reason).slice(0, MAX_REASON),
      duration_ms: Math.round(performance.now() - started),
    })
  try {
    const result = await work()
    record(endingOf(result))
    return result
  } catch (error) {
    const isRefusal = error instanceof RefusedError || error instanceof KernelError
    record({ outcome: isRefusal ? 'refused' : 'failed', steps: [], reason: reasonOf(error) })
    throw error
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof RefusedError ? `${error.code}: ${error.message}` : messageOf(error)

function endingOf(result: unknown): Pick<WriteRecord, 'outcome' | 'steps' | 'reason'> {
  const { outcome = 'done', steps = [], failure = null } = result as Partial<Outcome>
  return { outcome, steps, reason: failure ? `${failure.step}: ${failure.message}` : '' }
}
