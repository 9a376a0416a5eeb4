// Keeps rules off the ports that let the operator in, whatever a change contains.
import type { Change } from '@panel/shared/change/change.ts'
import type { RulesetState } from '@panel/shared/ruleset/model.ts'
import { changedIds } from '@panel/shared/ruleset/plan.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import type { HeldRuleset } from '../../kernel/relay-facilities.ts'
import { allowListening, newListeners } from '../../policy.ts'
import { hostRules } from './subject.ts'

export async function refuseOwnPorts(
  { ownAccess }: Pick<Kernel, 'ownAccess'>,
  found: HeldRuleset,
  change: Change<RulesetState>,
): Promise<void> {
  if (!change.after) return
  const held = hostRules(found, new Set(changedIds(change)))
  const listeners = newListeners(change.after, [...(held?.rules ?? []), ...(held?.boot ?? [])])
  if (listeners.length > 0) allowListening(listeners, await ownAccess.ports())
}
