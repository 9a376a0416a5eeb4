// The packets of what a relay rule relays, in both directions, and which chains of other software they come through.
import { parseIp } from '../address/ip.ts'
import { isLoopback } from '../address/special.ts'
import type { ForeignChain } from './model.ts'
import { addressRange, addressValue, type Match, type Range } from './ranges.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { transportsOf } from '../ruleset/ports.ts'

/** What a packet meets beside the rule: null is not known. */
export interface Surroundings {
  readonly own_addresses: readonly string[]
  readonly in_interface: string | null
  readonly out_interface: string | null
}

/**
 * One end of a packet, its source or its destination. `text` is the address that a command can name, null where there
 * is none; `addresses` are all that it may be, null if that is not known, except that it is none of `never`.
 */
export interface End {
  readonly text: string | null
  readonly addresses: readonly Range[] | null
  readonly never: readonly string[]
  readonly ports: Range
  /** An address of this host. */
  readonly isLocal: boolean
}

/**
 * "arriving": its destination is not translated yet. "routed": it is, and that of a reply is the client again. "left":
 * its source is translated too.
 */
export type Stage = 'arriving' | 'routed' | 'left'

/**
 * `isNew`: it begins a connection. `listener` is what the connection was sent to. `to`: the number of the destination
 * that it goes to or comes from; null if it may be any.
 */
export interface Packet {
  readonly stage: Stage
  readonly isReply: boolean
  readonly isNew: boolean
  /** The destination of the rule is this host. */
  readonly isForHost: boolean
  readonly isMarked: boolean
  readonly isSourceTranslated: boolean
  readonly family: 4 | 6
  readonly protocol: 'tcp' | 'udp' | 'gre'
  readonly to: number | null
  readonly source: End
  readonly destination: End
  readonly listener: End
  readonly in_interface: string | null
  readonly out_interface: string | null
}

const ANY_PORT: Range = { first: 0n, last: 65_535n }
/** TCP clients leave the ports below to servers. */
const CLIENT_PORTS = { tcp: { first: 1024n, last: 65_535n }, udp: ANY_PORT } as const
export const anywhere = (fields: Partial<End> = {}): End => ({
  text: null,
  addresses: null,
  never: [],
  ports: ANY_PORT,
  isLocal: false,
  ...fields,
})

export function endAt(text: string, fields: Partial<End> = {}): End {
  const value = addressValue(text)
  return anywhere({ text, addresses: value === null ? null : [{ first: value, last: value }], ...fields })
}

const ports = (first: number, last: number | null): Range => ({ first: BigInt(first), last: BigInt(last ?? first) })

/** Returns which of the packets at a stage some chain can tell apart; thousands of rules have many. */
export function stagesIn(chains: readonly ForeignChain[]): ReadonlySet<Stage> {
  return new Set(
    chains.flatMap(({ hook, priority }): Stage[] => {
      if (hook === 'ingress') return ['arriving']
      if (hook === 'prerouting')
        return [
          ...(priority <= TRANSLATION ? ['arriving' as const] : []),
          ...(priority >= TRANSLATION ? ['routed' as const] : []),
        ]
      return hook === 'postrouting' && priority >= SOURCE_TRANSLATION ? ['routed', 'left'] : ['routed']
    }),
  )
}

/**
 * First those of a connection's beginning, then their replies, then what follows, for each destination; only those at
 * the stages that are wanted.
 */
export function relayPackets(rule: RelayRule, around: Surroundings, stages: ReadonlySet<Stage>): Packet[] {
  const listener = listenerOf(rule)
  return transportsOf(rule).flatMap((protocol) => {
    const client = clientOf(rule, CLIENT_PORTS[protocol])
    const common = {
      protocol,
      listener,
      family: rule.bind_address.includes(':') ? 6 : 4,
      to: null,
      isReply: false,
      isNew: true,
      isForHost: false,
      isMarked: rule.fwmark !== null,
      isSourceTranslated: rule.nat_mode !== 'none',
      in_interface: arrivalOf(rule.bind_interface ?? around.in_interface),
      out_interface: around.out_interface,
    } as const
    const arriving: Packet = {
      ...common,
      stage: 'arriving',
      source: client,
      destination: listener,
      out_interface: null,
    }
    const packets = rule.destinations.flatMap((one, to) =>
      packetsTo(one, { common: { ...common, to }, rule, around, client, stages }),
    )
    if (stages.has('arriving')) packets.unshift(arriving)
    // What the fast path carries meets few chains.
    return rule.is_fast_path === true ? packets : [...packets, ...packets.filter(({ isNew }) => isNew).map(later)]
  })
}

/** What is sent to an address of the loopback interface comes in by any other. */
const arrivalOf = (device: string | null): string | null => (device === 'lo' ? null : device)

function listenerOf({ bind_address, bind_port, bind_port_range_end }: RelayRule): End {
  const fields = { ports: ports(bind_port, bind_port_range_end), isLocal: true }
  return bind_address === '0.0.0.0' || bind_address === '::' ? anywhere(fields) : endAt(bind_address, fields)
}

/** A client is none of the destinations. */
function clientOf({ allowed_sources, destinations }: RelayRule, range: Range): End {
  const ranges = allowed_sources.map(addressRange).filter((range) => range !== null)
  return anywhere({
    ports: range,
    never: destinations.map(({ address }) => address),
    ...(allowed_sources.length > 0 && { addresses: ranges }),
  })
}

/** Looked through for each of thousands of rules, so only if they are few. */
const OWN_MAX = 64

/** What hides a client: the address that the rule names, or one of this host. */
function maskOf(
  { snat_address, bind_address }: RelayRule,
  { own_addresses }: Surroundings,
  { ports: range }: End,
): End {
  const fields = { ports: range, isLocal: true }
  if (snat_address !== null) return endAt(snat_address, fields)
  const isV6 = bind_address.includes(':')
  const own = own_addresses.length > OWN_MAX ? [] : own_addresses.filter((one) => one.includes(':') === isV6)
  const addresses = own.map(addressRange).filter((one) => one !== null)
  return anywhere(addresses.length > 0 ? { ...fields, addresses } : fields)
}

const later = (packet: Packet): Packet => ({ ...packet, isNew: false })

interface Relayed {
  readonly common: Omit<Packet, 'stage' | 'source' | 'destination'>
  readonly rule: RelayRule
  readonly around: Surroundings
  readonly client: End
  readonly stages: ReadonlySet<Stage>
}

function packetsTo(
  { address, port, port_range_end }: RelayRule['destinations'][number],
  { common, rule, around, client, stages }: Relayed,
): Packet[] {
  const isForHost = around.own_addresses.includes(address) || isLoopback(parseIp(address) ?? never(address))
  const server = endAt(address, { ports: ports(port, port_range_end), isLocal: isForHost })
  const there = { ...common, isForHost, source: client, destination: server }
  const back = {
    ...there,
    isReply: true,
    isNew: false,
    source: server,
    destination: client,
    in_interface: isForHost ? '' : common.out_interface,
    out_interface: common.in_interface,
  }
  const isMasked = rule.nat_mode !== 'none' && !isForHost
  const mask = isMasked ? maskOf(rule, around, client) : client
  const packets: Packet[] = []
  if (stages.has('routed')) packets.push({ ...there, stage: 'routed' })
  if (stages.has('left') && !isForHost) packets.push({ ...there, stage: 'left', source: mask })
  if (stages.has('arriving') && !isForHost) packets.push({ ...back, stage: 'arriving', destination: mask })
  if (stages.has('routed')) packets.push({ ...back, stage: 'routed' })
  if (stages.has('left')) packets.push({ ...back, stage: 'left', source: common.listener })
  return packets
}

function never(address: string): never {
  throw new RangeError(`${address} is no address`)
}

/**
 * The priorities at which the addresses are translated (NF_IP_PRI_NAT_DST, NF_IP_PRI_NAT_SRC), and at which conntrack
 * first sees a packet.
 */
export const TRANSLATION = -100
const SOURCE_TRANSLATION = 100
export const CONNTRACK = -200

/** Whether conntrack has seen a packet that is in the chain. */
export function tracking({ hook, priority }: ForeignChain): Match {
  if (hook === 'ingress') return 'no'
  if (hook !== 'prerouting' && hook !== 'output') return 'yes'
  return priority > CONNTRACK ? 'yes' : priority < CONNTRACK ? 'no' : 'maybe'
}

const FAMILIES: Readonly<Record<4 | 6, readonly string[]>> = {
  4: ['ip', 'inet', 'netdev'],
  6: ['ip6', 'inet', 'netdev'],
}
export const isOfFamily = ({ table }: ForeignChain, { family }: Packet): boolean =>
  FAMILIES[family].includes(table.slice(0, table.indexOf(' ')))

/** Whether the packet comes through the chain; "maybe" where it is not known which of two comes first. */
export function meets(chain: ForeignChain, packet: Packet): Match {
  const { hook, priority, is_nat } = chain
  const { stage, isNew } = packet
  if (!isOfFamily(chain, packet) || hook === null || !HOOKS[hook](packet)) return 'no'
  // All chains of the type nat are at the place of the translation, in their order, until one translates.
  if (is_nat && !isNew) return 'no'
  // An interface that a chain is bound to is not read.
  if (hook === 'ingress') return 'maybe'
  const place = hook === 'prerouting' ? TRANSLATION : SOURCE_TRANSLATION
  const [before, after] = hook === 'prerouting' ? (['arriving', 'routed'] as const) : (['routed', 'left'] as const)
  if (hook !== 'prerouting' && hook !== 'postrouting') return stage === 'routed' ? 'yes' : 'no'
  if (priority === place) return is_nat && stage === after ? 'no' : 'maybe'
  if (!is_nat) return stage === (priority < place ? before : after) ? 'yes' : 'no'
  const isMet = priority < place || (hook === 'postrouting' && !packet.isSourceTranslated)
  return isMet && stage === before ? 'yes' : 'no'
}

const HOOKS: Readonly<Record<NonNullable<ForeignChain['hook']>, (packet: Packet) => boolean>> = {
  ingress: ({ stage, isForHost, isReply }) => stage === 'arriving' && !(isForHost && isReply),
  prerouting: ({ stage, isForHost, isReply }) => stage !== 'left' && !(isForHost && isReply),
  input: ({ isForHost, isReply }) => isForHost && !isReply,
  forward: ({ isForHost }) => !isForHost,
  output: ({ isForHost, isReply }) => isForHost && isReply,
  postrouting: ({ stage, isForHost, isReply }) => stage !== 'arriving' && (isReply || !isForHost),
}
