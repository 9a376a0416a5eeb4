// The exact text of a change, for whatever carries out the rules of this host.
import { ruleLimits, type RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import { iptablesText } from '@panel/shared/ruleset/iptables/render.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import { rulesetChange, rulesetText } from '@panel/shared/ruleset/nft/render.ts'

interface Payload {
  readonly text: string
  /** How root carries it out. */
  readonly note: Message
}

/** Both lists are in their order. */
export function payloadOf(
  backend: RuleBackendFound,
  held: readonly RelayRule[],
  wanted: readonly RelayRule[],
): Payload {
  if (backend.active === 'none')
    return { text: '', note: message('note.payload_none', { why: fromRoot(backend.reason) }) }
  if (backend.active === 'nftables') {
    const { text, isDirect } = rulesetChange(rulesOrNull([...held]), wanted)
    return { text, note: message(isDirect ? 'note.payload_direct' : 'note.payload_nftables') }
  }
  // What it cannot hold, from a time when another backend was here, it does not hold.
  const able = (rule: RelayRule): boolean => ruleLimits(backend, rule).length === 0
  return { text: iptablesText(held.filter(able), wanted.filter(able)), note: message('note.payload_iptables') }
}

/** What a rule adds to a table in which there is no other. */
export const ruleText = (backend: RuleBackendFound, rule: RelayRule): string =>
  backend.active === 'nftables' ? rulesetText([], [rule]) : payloadOf(backend, [], [rule]).text
