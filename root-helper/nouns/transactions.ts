// Every noun that root can change, as a transaction: what the journal may speak of.
import type { Kernel } from '../kernel/facilities.ts'
import { log } from '../log.ts'
import type { Journal } from '../subject.ts'
import { Transaction, type Undoable } from '../transaction.ts'
import { forwardingSubject } from './forwarding/subject.ts'
import { networkSubject } from './network/subject.ts'
import { handoverSubject } from './ruleset/handover.ts'
import { endOlderOf } from './ruleset/older.ts'
import { rulesetSubject } from './ruleset/subject.ts'
import { ownershipUndo } from './tunnel/ownership.ts'
import { tunnelSubject } from './tunnel/subject.ts'

export function transactionsOf(kernel: Kernel, journal: Journal): Undoable[] {
  const rules = rulesetSubject(kernel.rulesets, (last) => log('info', 'Counters of rules were deleted', { last }), {
    submitted: endOlderOf(kernel),
  })
  return [
    new Transaction(tunnelSubject(kernel), journal),
    ownershipUndo(kernel, journal),
    new Transaction(networkSubject(kernel), journal),
    new Transaction(rules, journal),
    new Transaction(handoverSubject(kernel.ruleBackends), journal),
    new Transaction(forwardingSubject(kernel.forwarding), journal),
  ]
}
