// What a change of rules needs of their traffic: no byte that they counted is lost, and none is counted for another.
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'

export interface Accounting {
  /** Wraps a change of the ruleset, which removes counters and returns their last values. */
  readonly whileChanging: <T>(work: (counted: (last: readonly RelayCounters[]) => void) => Promise<T>) => Promise<T>
  /** For a rule whose creation failed: another rule may get its id. */
  readonly forget: (route_rule_id: number) => Promise<void>
}
