// What other software has put into netfilter and bears on relayed packets (decisions.md, F27): the one place where it
// is asked for.
import type { ForeignView } from '@panel/shared/api/forwarding.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { findRelayBlocks, type RelayBlock } from '@panel/shared/foreign/relay-block.ts'
import { fromRoot, type Message, message, sentences, spoken } from '@panel/shared/messages/message.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'

export const foreignRules = (request: Reader): Promise<ForeignFound> => request('netfilter.probe', {})

export const foreignView = ({ is_readable, managers, rules, total, detail }: ForeignFound): ForeignView => ({
  readable: is_readable,
  managers,
  rules: rules.map(({ table, chain, text, protocol, address, port, port_end, manager }) => ({
    table,
    chain,
    text,
    protocol,
    address,
    port,
    port_end,
    manager,
  })),
  total,
  ...spoken('detail', fromRoot(detail)),
})

/**
 * What of it drops, or may drop, what the rule relays; `out_interface` is where that leaves, null where nobody knows.
 */
export async function foreignBlocks(
  request: Reader,
  foreign: ForeignFound,
  rule: RelayRule,
  out_interface: string | null,
): Promise<RelayBlock[]> {
  if (foreign.chains.length === 0) return []
  const interfaces = (await request('host.probe', { parts: ['interfaces'] })).interfaces ?? []
  const addressed = interfaces.map(({ name, addresses }) => ({
    name,
    addresses: addresses.map((text) => text.split('/')[0] ?? ''),
  }))
  const owner = addressed.find(({ addresses }) => addresses.includes(rule.bind_address))
  return findRelayBlocks(rule, foreign, {
    own_addresses: addressed.flatMap(({ addresses }) => addresses),
    in_interface: owner?.name ?? null,
    out_interface,
  })
}

export function toldOf({ table, chain, text, is_certain, is_reply }: RelayBlock): Message {
  const parts = { table, chain, text }
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
