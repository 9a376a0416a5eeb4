// The exact text of a change, for whatever carries out the rules of this host.
import { ruleLimits, type RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import { iptablesText } from '@panel/shared/ruleset/iptables/render.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import { rulesetText } from '@panel/shared/ruleset/nft/render.ts'

/** Both lists are in their order. */
export function payloadOf(backend: RuleBackendFound, held: readonly RelayRule[], wanted: readonly RelayRule[]): string {
  if (backend.active === 'none') return ''
  if (backend.active === 'nftables') return rulesetText(rulesOrNull([...held]), wanted)
  // What it cannot hold, from a time when another backend was here, it does not hold.
  const able = (rule: RelayRule): boolean => ruleLimits(backend, rule).length === 0
  return iptablesText(held.filter(able), wanted.filter(able))
}

/** What a rule adds to a table in which there is no other. */
export const ruleText = (backend: RuleBackendFound, rule: RelayRule): string =>
  backend.active === 'nftables' ? rulesetText([], [rule]) : payloadOf(backend, [], [rule])

export function payloadNote({ active, reason }: RuleBackendFound): Message {
  if (active === 'none') return message('note.payload_none', { why: fromRoot(reason) })
  return message(active === 'nftables' ? 'note.payload_nftables' : 'note.payload_iptables')
}
