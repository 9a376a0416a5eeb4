// Whether the rules of other software drop what a relay rule relays: the first packet of a connection, and a reply, are
// taken through their chains, and only what can be read surely counts as sure.
import { type Message } from '@panel/shared/messages/message.ts'
import type { ForeignChain, ForeignFound, ForeignRule } from './model.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { addressMatch, PacketKinds, portMatch, type Match } from './packet-kinds.ts'
import {
  CONNTRACK,
  isOfFamily,
  meets,
  relayPackets,
  TRANSLATION,
  type Packet,
  type Surroundings,
} from './relay-packet.ts'
import { remedyFor } from './relay-remedy.ts'

/** `text` is a rule, or the policy of the chain; where it `is_certain` it drops the packet, and otherwise it may. */
export interface RelayBlock {
  readonly table: string
  readonly chain: string
  readonly text: string
  readonly is_policy: boolean
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
  const mayDrop =
    foreign.chains.some(({ policy, hook }) => policy === 'drop' && hook !== null) ||
    foreign.rules.some(({ verdict }) => ENDINGS[verdict]?.includes('drop') === true)
  if (!mayDrop) return null
  const walker = new Walker(foreign)
  return (rule, around) => blocksMet(walker, foreign, relayPackets(rule, around))
}

function blocksMet(walker: Walker, foreign: ForeignFound, packets: readonly Packet[]): RelayBlock[] {
  const certain = new Map<string, RelayBlock>()
  let doubt: RelayBlock | null = null
  for (const packet of packets) {
    for (const chain of foreign.chains) {
      if (!meets(chain, packet)) continue
      const { endings, blame } = walker.through(chain, packet)
      if (!endings.has('drop') || !blame) continue
      const is_certain = foreign.is_whole && endings.size === 1
      // A rule about a port or an address says almost nothing about replies, whose destination may be any.
      if (!is_certain && (doubt || (packet.isReply && !blame.is_policy))) continue
      const block = { ...blame, is_certain, is_reply: packet.isReply, remedy: remedyFor(packet, chain, foreign) }
      if (is_certain) certain.set(block.remedy.message, certain.get(block.remedy.message) ?? block)
      else doubt = block
    }
  }
  return certain.size > 0 ? [...certain.values()] : doubt ? [doubt] : []
}

/** "on": to the next rule. "back": to the chain that led here. */
type Ending = 'pass' | 'drop' | 'on' | 'back'
type Blame = Pick<RelayBlock, 'table' | 'chain' | 'text' | 'is_policy'>

interface Walk {
  readonly endings: ReadonlySet<Ending>
  readonly blame: Blame | null
}

const ANY_ENDING: readonly Ending[] = ['pass', 'drop', 'on', 'back']
/** The kernel follows no more jumps than this (NFT_JUMP_STACK_SIZE). */
const JUMPS_MAX = 16

/** Takes packets through the chains of other software. */
export class Walker {
  readonly #rules = new Map<string, ForeignRule[]>()
  readonly #kinds: PacketKinds
  /** The walks by chain and kind of packet: among thousands of rules most packets are alike to foreign rules. */
  readonly #walks = new Map<string, Walk>()

  constructor({ rules }: ForeignFound) {
    this.#kinds = new PacketKinds(rules)
    for (const rule of rules) {
      const chain = this.#rules.get(keyOf(rule))
      if (chain) chain.push(rule)
      else this.#rules.set(keyOf(rule), [rule])
    }
  }

  through(chain: ForeignChain, packet: Packet): Walk {
    const key = `${keyOf(chain)} ${this.#kinds.of(packet)}`
    const known = this.#walks.get(key)
    if (known) return known
    const walk = this.#fromBase(chain, packet)
    this.#walks.set(key, walk)
    return walk
  }

  #fromBase(chain: ForeignChain, packet: Packet): Walk {
    const { endings, blame } = this.#walk(keyOf(chain), { packet, chain, walked: new Map(), depth: 0 })
    const ended = new Set([...endings].filter((one) => one !== 'back'))
    if (!endings.has('back')) return { endings: ended, blame }
    if (chain.policy === 'accept') return { endings: ended.add('pass'), blame }
    return {
      endings: ended.add('drop'),
      blame: { table: chain.table, chain: chain.chain, text: 'policy drop', is_policy: true },
    }
  }

  /** The rules that write the mark of the packet's connection. */
  markedBy(chain: ForeignChain, packet: Packet): { readonly rule: ForeignRule; readonly isCertain: boolean }[] {
    const marking = new Map<ForeignRule, Match>()
    this.#walk(keyOf(chain), { packet, chain, walked: new Map(), depth: 0, marking })
    return [...marking].map(([rule, match]) => ({ rule, isCertain: match === 'yes' && keyOf(rule) === keyOf(chain) }))
  }

  #walk(key: string, way: Way): Walk {
    const known = way.walked.get(key)
    if (known) return known
    const endings = new Set<Ending>()
    let blame: Blame | null = null
    let isOver = false
    for (const rule of this.#rules.get(key) ?? []) {
      const match = matches(rule, way)
      if (match === 'no') continue
      if (rule.is_ct_mark_set) way.marking?.set(rule, match)
      const walk = this.#after(rule, way)
      if (walk.endings.has('drop')) blame = walk.blame
      for (const one of walk.endings) if (one !== 'on') endings.add(one)
      isOver = match === 'yes' && !walk.endings.has('on')
      if (isOver) break
    }
    if (!isOver) endings.add('back')
    const walk = { endings, blame }
    way.walked.set(key, walk)
    return walk
  }

  #after(rule: ForeignRule, way: Way): Walk {
    const { table, chain, text, verdict, target } = rule
    const blame = { table, chain, text, is_policy: false }
    const own = ENDINGS[verdict]
    if (own) return { endings: new Set(own), blame }
    if (way.depth >= JUMPS_MAX) return { endings: new Set(ANY_ENDING), blame }
    const there = this.#walk(keyOf({ table, chain: target }), { ...way, depth: way.depth + 1 })
    // After a jump the next rule is met, after a goto none.
    const back = verdict === 'jump' ? 'on' : 'back'
    return { endings: new Set([...there.endings].map((one) => (one === 'back' ? back : one))), blame: there.blame }
  }
}

/** What a packet has met so far on its way from a base chain. */
interface Way {
  readonly packet: Packet
  readonly chain: ForeignChain
  readonly walked: Map<string, Walk>
  readonly depth: number
  /** Collects those that write the mark of the connection. */
  readonly marking?: Map<ForeignRule, Match>
}

const ENDINGS: Readonly<Partial<Record<ForeignRule['verdict'], readonly Ending[]>>> = {
  none: ['on'],
  accept: ['pass'],
  translate: ['pass'],
  drop: ['drop'],
  reject: ['drop'],
  return: ['back'],
  other: ANY_ENDING,
}

const keyOf = ({ table, chain }: { readonly table: string; readonly chain: string }): string => `${table} ${chain}`

function matches(rule: ForeignRule, { packet, chain }: Way): Match {
  const is = (wanted: string, found: string | null): Match =>
    wanted === '' || wanted === found ? 'yes' : found === null ? 'maybe' : 'no'
  const answers = [
    is(rule.family, packet.family === 6 ? 'ip6' : 'ip'),
    is(rule.protocol, packet.protocol),
    is(rule.in_interface, packet.in_interface),
    is(rule.out_interface, chain.hook === 'prerouting' ? null : packet.out_interface),
    portMatch(rule, packet),
    ctMatch(rule, packet, chain),
  ]
  if (answers.includes('no')) return 'no'
  answers.push(addressMatch(rule.address, packet))
  if (answers.includes('no')) return 'no'
  return rule.is_whole && !answers.includes('maybe') ? 'yes' : 'maybe'
}

function ctMatch({ ct }: ForeignRule, { isTranslated, isReply }: Packet, { hook, priority }: ForeignChain): Match {
  if (ct === '') return 'yes'
  if (ct === 'dnat') return isTranslated ? 'yes' : 'no'
  if (ct === 'never' || ct === (isReply ? 'new' : 'established')) return 'no'
  return hook === 'prerouting' && priority <= CONNTRACK ? 'maybe' : 'yes'
}

/** `is_certain`: it stands before the panel's table, and takes all that a rule listens for. */
export type Taker = ForeignRule & { readonly is_certain: boolean }

/** Foreign rules that translate what a rule listens for before the panel's table may; the certain ones first. */
export function takenBy(rule: RelayRule, foreign: ForeignFound): Taker[] {
  // This is evaluated for each of thousands of rules, and most hosts translate nothing else.
  if (!foreign.rules.some(({ verdict, port }) => verdict === 'translate' && port !== null)) return []
  const packets = relayPackets(rule, { own_addresses: [], in_interface: null, out_interface: null }).filter(
    ({ isTranslated }) => !isTranslated,
  )
  const chains = foreign.chains.filter(({ hook, priority }) => hook === 'prerouting' && priority <= TRANSLATION)
  const matchesOf = (one: ForeignRule, chain: ForeignChain): Match[] =>
    packets.map((packet) =>
      isOfFamily(chain, packet) ? matches(one, { packet, chain, walked: new Map(), depth: 0 }) : 'no',
    )
  return foreign.rules
    .filter((one) => one.verdict === 'translate' && one.port !== null)
    .flatMap((one) => {
      const near = chains.filter(({ table }) => table === one.table)
      if (!near.some((chain) => matchesOf(one, chain).some((match) => match !== 'no'))) return []
      const isSure = (chain: ForeignChain): boolean =>
        chain.chain === one.chain &&
        chain.priority < TRANSLATION &&
        matchesOf(one, chain).every((match) => match === 'yes')
      return [{ ...one, is_certain: near.some(isSure) }]
    })
    .sort((a, b) => Number(b.is_certain) - Number(a.is_certain))
}
