// Whether the rules of other software drop what a relay rule relays: the packets of both directions are taken through
// their chains, and only what can be read surely counts as sure.
import { type Message } from '@panel/shared/messages/message.ts'
import type { ForeignBranch, ForeignChain, ForeignFound, ForeignRule } from './model.ts'
import type { Match } from './ranges.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { meets, relayPackets, stagesIn, TRANSLATION, type Packet, type Surroundings } from './relay-packet.ts'
import { remedyFor } from './relay-remedy.ts'
import { extentOf, withExtent, type Extent, type Met } from './extent.ts'
import { branchMatch, mayDrop, Walker, type Blame } from './walker.ts'

/** A rule or a policy that drops the packet if it `is_certain`, and otherwise may. */
export interface RelayBlock extends Blame {
  readonly is_certain: boolean
  readonly is_reply: boolean
  readonly extent: Extent
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
  const tables = new Set(foreign.rules.filter(mayDrop).map(({ table }) => table))
  const chains = foreign.chains.filter(
    ({ policy, hook, table }) => hook !== null && (policy === 'drop' || tables.has(table)),
  )
  if (chains.length === 0) return null
  const walker = new Walker(foreign)
  const stages = stagesIn(chains)
  return (rule, around) => blocksMet(rule, relayPackets(rule, around, stages), { walker, chains, foreign })
}

interface Firewalls {
  readonly walker: Walker
  readonly chains: readonly ForeignChain[]
  readonly foreign: ForeignFound
}

type Dropping = Omit<RelayBlock, 'extent'>

function blocksMet(rule: RelayRule, packets: readonly Packet[], firewalls: Firewalls): RelayBlock[] {
  const certain = new Map<string, Met<Dropping>>()
  const begun = new Set<string>()
  let doubt: RelayBlock | null = null
  for (const packet of packets)
    for (const { block, place } of dropping(packet, firewalls)) {
      // What lets the beginning of a connection through lets the rest of that direction through.
      if (packet.isNew && block.is_certain) begun.add(place)
      if (!packet.isNew && !packet.isReply && begun.has(place)) continue
      if (block.is_certain) {
        const known = certain.get(block.remedy.message) ?? { found: block, packets: [] }
        known.packets.push(packet)
        certain.set(block.remedy.message, known)
        continue
      }
      // A rule about the address or the port of a client says almost nothing about replies, which go to any.
      const isDoubted = doubt && (!doubt.is_for_some || block.is_for_some)
      if (isDoubted || (packet.isReply && block.is_for_some)) continue
      const extent = extentOf(rule, [packet])
      if (extent !== 'none') doubt = { ...block, extent }
    }
  return certain.size > 0 ? withExtent(rule, [...certain.values()]) : doubt ? [doubt] : []
}

interface Drop {
  readonly block: Dropping
  readonly place: string
}

function dropping(packet: Packet, { walker, chains, foreign }: Firewalls): Drop[] {
  return chains.flatMap((chain) => {
    const met = meets(chain, packet)
    if (met === 'no') return []
    const { endings, blame } = walker.through(chain, packet)
    if (!endings.has('drop') || !blame) return []
    const is_certain = met === 'yes' && foreign.is_whole && endings.size === 1
    const place = `${chain.table} ${chain.chain} ${packet.stage} ${packet.protocol} ${packet.destination.text}`
    return [
      { place, block: { ...blame, is_certain, is_reply: packet.isReply, remedy: remedyFor(packet, chain, foreign) } },
    ]
  })
}

/** `is_certain`: it stands before the panel's table, and takes all that a rule listens for. */
export type Taker = Pick<ForeignRule, 'table' | 'chain' | 'manager' | 'text'> & { readonly is_certain: boolean }

const isTaking = ({ verdict, conditions }: ForeignBranch): boolean =>
  verdict === 'translate' && conditions.some(({ field }) => field === 'destination_port')

/** Foreign rules that translate what a rule listens for before the panel's table may; the certain ones first. */
export function takenBy(rule: RelayRule, foreign: ForeignFound): Taker[] {
  // This is evaluated for each of thousands of rules, and most hosts translate nothing else.
  const taking = foreign.rules.filter(({ branches }) => branches.some(isTaking))
  if (taking.length === 0) return []
  const around = { own_addresses: [], in_interface: null, out_interface: null }
  const packets = relayPackets(rule, around, new Set(['arriving'])).filter(({ isNew }) => isNew)
  const chains = foreign.chains.filter(({ hook, priority }) => hook === 'prerouting' && priority <= TRANSLATION)
  const matchesOf = (one: ForeignRule, chain: ForeignChain): Match[] =>
    packets.flatMap((packet) =>
      meets(chain, packet) === 'no'
        ? ['no']
        : one.branches.filter(isTaking).map((branch) => branchMatch(one, branch, packet, chain)),
    )
  return taking
    .flatMap((one) => {
      const near = chains.filter(({ table }) => table === one.table)
      if (!near.some((chain) => matchesOf(one, chain).some((match) => match !== 'no'))) return []
      const isSure = (chain: ForeignChain): boolean =>
        chain.chain === one.chain &&
        chain.priority < TRANSLATION &&
        matchesOf(one, chain).every((match) => match === 'yes')
      const { table, chain, manager, text } = one
      return [{ table, chain, manager, text, is_certain: near.some(isSure) }]
    })
    .sort((a, b) => Number(b.is_certain) - Number(a.is_certain))
}
