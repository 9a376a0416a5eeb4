// The exact text of a change, for whatever carries out the rules of this host.
import { ruleLimits, type RuleBackendFound } from '@panel/shared/model/rule-backend.ts'
import type { RelayRule } from '@panel/shared/model/ruleset.ts'
import { rulesOrNull } from '@panel/shared/plan/ruleset.ts'
import { iptablesText } from '@panel/shared/render/iptables.ts'
import { rulesetText } from '@panel/shared/render/ruleset.ts'

/** Both lists are in their order. */
export function payloadOf(backend: RuleBackendFound, held: readonly RelayRule[], wanted: readonly RelayRule[]): string {
  if (backend.active === 'none') return ''
  if (backend.active === 'nftables') return rulesetText(rulesOrNull([...held]), wanted)
  // What it cannot hold, from a time when another backend was here, it does not hold.
  const able = (rule: RelayRule): boolean => ruleLimits(backend, rule).length === 0
  return iptablesText(held.filter(able), wanted.filter(able))
}

/** What a rule adds to a table in which there is no other. */
export const ruleText = (backend: RuleBackendFound, rule: RelayRule): string => (backend.active === 'nftables' ? rulesetText([], [rule]) : payloadOf(backend, [], [rule]))

export function payloadNote({ active, reason }: RuleBackendFound): string {
  if (active === 'none') return `Nothing would be submitted, since nothing here can: ${reason}.`
  const what = active === 'nftables' ? 'is the one nftables transaction that would be submitted' : 'is what iptables-restore and ip6tables-restore would be given, with --noflush,'
  return `The payload ${what} where the kernel holds the rules as they are stored.`
}
