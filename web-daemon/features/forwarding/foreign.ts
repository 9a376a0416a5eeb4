// What other software has put into netfilter and bears on relayed packets (decisions.md, F27): the one place that
// requests it.
import type { ForeignView } from '@panel/shared/api/forwarding.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { markWritersIn, type MarkWriter } from '@panel/shared/foreign/mark-writers.ts'
import { relayBlocksIn, takenBy, type RelayBlock, type Taker } from '@panel/shared/foreign/relay-block.ts'
import type { Surroundings } from '@panel/shared/foreign/relay-packet.ts'
import { summaryOf } from '@panel/shared/foreign/summary.ts'
import { untrackersIn, type Untracker } from '@panel/shared/foreign/untracked.ts'
import { fromRoot, type Message, message, sentences, messageFields } from '@panel/shared/messages/message.ts'
import { addressOwners } from '@panel/shared/tunnel/owners.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

export const foreignRules = (request: Reader): Promise<ForeignFound> => request('netfilter.probe', {})

export const foreignView = ({ is_readable, managers, rules, total, detail }: ForeignFound): ForeignView => ({
  readable: is_readable,
  managers,
  rules: rules.map((rule) => {
    const { table, chain, text, manager } = rule
    return { table, chain, text, ...summaryOf(rule), manager }
  }),
  total,
  ...messageFields('detail', fromRoot(detail)),
})

/** What of it stands in the way of a relay rule. */
export interface InTheWay {
  /** What drops, or may drop, what the rule relays. */
  readonly blocks: readonly RelayBlock[]
  readonly takers: readonly Taker[]
  /** What keeps its connections from being tracked, so that nothing of them is translated. */
  readonly untrackers: readonly Untracker[]
  readonly writers: readonly MarkWriter[]
}
export const NOTHING_IN_THE_WAY: InTheWay = { blocks: [], takers: [], untrackers: [], writers: [] }

/** `out_interface` is where the rule's packets leave; null if unknown. */
export type InTheWayOf = (rule: RelayRule, out_interface: string | null) => InTheWay

/** `foreign` is gone through once for all the rules that are looked at. */
export function inTheWayOf(foreign: ForeignFound, interfaces: readonly HostInterface[]): InTheWayOf {
  if (foreign.chains.length === 0) return () => NOTHING_IN_THE_WAY
  const around = surroundings(interfaces)
  const [blocksOf, untrackersOf, writersOf] = [relayBlocksIn(foreign), untrackersIn(foreign), markWritersIn(foreign)]
  return (rule, out_interface) => {
    const here = around(rule, out_interface)
    return {
      blocks: blocksOf?.(rule, here) ?? [],
      takers: takenBy(rule, foreign),
      untrackers: untrackersOf(rule, here),
      writers: writersOf(rule, here),
    }
  }
}

/** The same for one rule. */
export async function foreignInTheWay(
  request: Reader,
  foreign: ForeignFound,
  rule: RelayRule,
  out_interface: string | null,
): Promise<InTheWay> {
  if (foreign.chains.length === 0) return NOTHING_IN_THE_WAY
  const { interfaces } = await request('host.probe', { parts: ['interfaces'] })
  return inTheWayOf(foreign, interfaces ?? [])(rule, out_interface)
}

function surroundings(
  interfaces: readonly HostInterface[],
): (rule: RelayRule, out_interface: string | null) => Surroundings {
  const owners = addressOwners(interfaces)
  const own_addresses = [...owners.keys()]
  return ({ bind_address }, out_interface) => ({
    own_addresses,
    in_interface: owners.get(bind_address)?.name ?? null,
    out_interface,
  })
}

export function describeUntracker({ table, chain, text, is_certain, is_reply, extent }: Untracker): Message {
  const parts = { table, chain, text, what: is_reply ? 'replies' : 'it' }
  if (is_certain && extent !== 'all') return message('forwarding.foreign_untracks', { ...parts, what: 'part' })
  return message(is_certain ? 'forwarding.foreign_untracks' : 'forwarding.foreign_may_untrack', parts)
}

export const describeTaker = ({ table, chain, text, is_certain }: Taker): Message =>
  message(is_certain ? 'forwarding.foreign_takes' : 'forwarding.foreign_may_take', { table, chain, text })

export function describeWriter({ table, chain, text, is_after, is_certain }: MarkWriter): Message {
  const parts = { table, chain, text }
  if (!is_after) return message('forwarding.mark_overwritten', parts)
  return message(is_certain ? 'forwarding.foreign_mark' : 'forwarding.foreign_may_mark', parts)
}

export function blockMessage({ table, chain, text, is_certain, is_reply, extent }: RelayBlock): Message {
  const parts = { table, chain, text }
  if (is_certain && extent !== 'all') return message('forwarding.foreign_drops_part', parts)
  if (is_certain) return message(is_reply ? 'forwarding.foreign_drops_replies' : 'forwarding.foreign_drops', parts)
  return message(is_reply ? 'forwarding.foreign_may_drop_replies' : 'forwarding.foreign_may_drop', parts)
}

/** A rule of many destinations needs as many remedies; a sentence has room for some. */
const REMEDIES_TOLD_MAX = 4

/** What lets it through, for a sentence; each block has its own remedy. */
export function remediesOf(blocks: readonly RelayBlock[]): Message {
  const more = blocks.length - REMEDIES_TOLD_MAX
  return sentences(
    ...blocks.slice(0, REMEDIES_TOLD_MAX).map(({ remedy }) => remedy),
    more > 0 ? message('forwarding.more_remedies', { count: more }) : null,
    message('forwarding.foreign_left_alone'),
  )
}
