// Whether the rules of other software drop what a relay rule relays: the packets of both directions are taken through
// their chains, and only what can be read surely counts as sure.
import { type Message } from '@panel/shared/messages/message.ts'
import type { ForeignFound } from './model.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { meets, relayPackets, type Packet, type Surroundings } from './relay-packet.ts'
import { remedyFor } from './relay-remedy.ts'
import { mayDrop, Walker, type Blame } from './walker.ts'

/** Where it `is_certain` it drops the packet, and otherwise it may. */
export interface RelayBlock extends Blame {
  readonly is_certain: boolean
  readonly is_reply: boolean
  readonly remedy: Message
}

/**
 * Everything that drops it for certain, in either direction, for only who lets all of that through has a relay; without
 * any, the first that may drop it. Empty: nothing that was read can.
 */
export const findRelayBlocks = (rule: RelayRule, foreign: ForeignFound, around: Surroundings): RelayBlock[] =>
  relayBlocksIn(foreign)?.(rule, around) ?? []

/** `foreign` is gone through once for all the rules that are looked at. Null where it drops nothing at all. */
export function relayBlocksIn(foreign: ForeignFound): ((rule: RelayRule, around: Surroundings) => RelayBlock[]) | null {
  const isDropping = foreign.chains.some(({ policy, hook }) => policy === 'drop' && hook !== null)
  if (!isDropping && !foreign.rules.some(mayDrop)) return null
  const walker = new Walker(foreign)
  return (rule, around) => blocksMet(walker, foreign, relayPackets(rule, around))
}

function blocksMet(walker: Walker, foreign: ForeignFound, packets: readonly Packet[]): RelayBlock[] {
  const certain = new Map<string, RelayBlock>()
  const begun = new Set<string>()
  let doubt: RelayBlock | null = null
  for (const packet of packets) {
    for (const chain of foreign.chains) {
      const met = meets(chain, packet)
      if (met === 'no') continue
      const { endings, blame } = walker.through(chain, packet)
      if (!endings.has('drop') || !blame) continue
      const is_certain = met === 'yes' && foreign.is_whole && endings.size === 1
      // What lets the beginning of a connection through lets the rest of that direction through.
      const place = `${chain.table} ${chain.chain} ${packet.stage} ${packet.protocol} ${packet.destination.text}`
      if (packet.isNew && is_certain) begun.add(place)
      if (!packet.isNew && !packet.isReply && begun.has(place)) continue
      // A rule about the address or the port of a client says almost nothing about replies, which go to any.
      const isDoubted = doubt && (!doubt.is_for_some || blame.is_for_some)
      if (!is_certain && (isDoubted || (packet.isReply && blame.is_for_some))) continue
      const block = { ...blame, is_certain, is_reply: packet.isReply, remedy: remedyFor(packet, chain, foreign) }
      if (is_certain) certain.set(block.remedy.message, certain.get(block.remedy.message) ?? block)
      else doubt = block
    }
  }
  return certain.size > 0 ? [...certain.values()] : doubt ? [doubt] : []
}
