// RTM_*ROUTE: the kernel's routing tables, IPv4 and IPv6.
import { attribute, Attributes, DecodeError, forEachAttribute, u32 } from './attributes.ts'
import { addressFamily, addressLength, ipBytes, ipText, isFamily, type AddressFamily } from './bytes.ts'
import * as k from './constants.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

/** An entry; `gateway` and `source` are "" and `index` is 0 where it has none, and are those of the first of `hops`. */
export interface RawRoute {
  family: AddressFamily
  destination: string
  prefix_length: number
  gateway: string
  index: number
  source: string
  table: number
  protocol: number
  type: number
  metric: number
  /** RT_SCOPE_*; of IPv6 always the universe. */
  scope: number
  isOnlink: boolean
  isCached: boolean
  hops: readonly Hop[]
}

export interface Hop {
  gateway: string
  index: number
  weight: number
  /** The kernel keeps it and sends nothing there, since its link is down. */
  isDead: boolean
}

/** Null for an entry of another family than IPv4 and IPv6. */
export function decodeRoute(message: Message): RawRoute | null {
  const { body } = message
  if (message.type !== k.RTM_NEWROUTE) throw new DecodeError(`message type ${message.type} where a route is due`)
  const a = new Attributes(body, k.RTMSG_LENGTH)
  const family = body.readUInt8(0)
  if (!isFamily(family)) return null
  const several = hopsIn(a.raw(k.RTA_MULTIPATH))
  const flags = body.readUInt32LE(8)
  const hops = several.length > 0 ? several : [hop(a, a.u32(k.RTA_OIF) ?? 0, 1, flags)]
  return {
    family,
    destination: optionalIp(a.raw(k.RTA_DST)) || ipText(Buffer.alloc(addressLength(family))),
    prefix_length: body.readUInt8(1),
    gateway: hops[0]?.gateway ?? '',
    index: hops[0]?.index ?? 0,
    source: optionalIp(a.raw(k.RTA_PREFSRC)),
    table: a.u32(k.RTA_TABLE) ?? body.readUInt8(4),
    protocol: body.readUInt8(5),
    type: body.readUInt8(7),
    metric: a.u32(k.RTA_PRIORITY) ?? 0,
    scope: body.readUInt8(6),
    isOnlink: (flags & k.RTNH_F_ONLINK) !== 0,
    isCached: (flags & k.RTM_F_CLONED) !== 0,
    hops,
  }
}

const optionalIp = (raw: Buffer | null): string => (raw ? ipText(raw) : '')

/** RTA_VIA is a gateway of the other family: two bytes of family, then the address (struct rtvia). */
function hop(a: Attributes, index: number, weight: number, flags: number): Hop {
  const via = a.raw(k.RTA_VIA)
  const gateway = via ? ipText(via.subarray(2)) : optionalIp(a.raw(k.RTA_GATEWAY))
  return { gateway, index, weight, isDead: (flags & k.RTNH_F_DEAD) !== 0 }
}

/**
 * struct rtnexthop: length (2), flags, weight less one, interface index (4), attributes; each begins on a multiple of
 * four.
 */
function hopsIn(multipath: Buffer | null): Hop[] {
  const found: Hop[] = []
  for (let rest = multipath; rest && rest.length > 0;) {
    const length = rest.length < k.RTNH_LENGTH ? 0 : rest.readUInt16LE(0)
    if (length < k.RTNH_LENGTH || length > rest.length)
      throw new DecodeError(`a next hop of ${length} bytes, where ${rest.length} are left`)
    found.push(
      hop(new Attributes(rest, k.RTNH_LENGTH, length), rest.readInt32LE(4), rest.readUInt8(3) + 1, rest.readUInt8(2)),
    )
    rest = rest.subarray(Math.min((length + 3) & ~3, rest.length))
  }
  return found
}

/** Requests the entry by which the kernel sends to the address. */
export function lookUpRoute(address: string): Request {
  const bytes = ipBytes(address)
  const header = Buffer.alloc(k.RTMSG_LENGTH)
  header.writeUInt8(addressFamily(address), 0)
  header.writeUInt8(bytes.length * 8, 1)
  header.writeUInt32LE(k.RTM_F_FIB_MATCH, 8)
  return {
    what: `find the route to ${address}`,
    type: k.RTM_GETROUTE,
    parts: [header, attribute(k.RTA_DST, bytes)],
  }
}

/** Requests the route that a packet to the address takes, with the source that the kernel would give it. */
export function resolveRoute(address: string): Request {
  const { type, parts } = lookUpRoute(address)
  const [header = Buffer.alloc(k.RTMSG_LENGTH), ...rest] = parts
  header.writeUInt32LE(0, 8)
  return { what: `find the source of packets to ${address}`, type, parts: [header, ...rest] }
}

/** What the kernel picks of its routes; 0 is any. */
interface Picked {
  readonly index?: number
  readonly protocol?: number
  readonly type?: number
}

/** Every table of one family. */
export function dumpRoutes(family: AddressFamily, { index = 0, protocol = 0, type = 0 }: Picked = {}): Request {
  const header = Buffer.alloc(k.RTMSG_LENGTH)
  header.writeUInt8(family, 0)
  header.writeUInt8(protocol, 5)
  header.writeUInt8(type, 7)
  const over = index === 0 ? [] : [u32(k.RTA_OIF, index)]
  return { what: 'read the routing table', type: k.RTM_GETROUTE, parts: [header, ...over] }
}

/** What of a route addRoute cannot make again, in words; see struct rtmsg and enum rtattr_type_t. */
export function extrasOf({ body }: Message): string[] {
  const a = new Attributes(body, k.RTMSG_LENGTH)
  const extras: string[] = []
  forEachAttribute(body, k.RTMSG_LENGTH, body.length, (type) => {
    if (!REPEATED.has(type)) extras.push(EXTRAS[type] ?? `attribute ${type}`)
  })
  const tos = body.readUInt8(3)
  const expires = a.raw(k.RTA_CACHEINFO)?.readInt32LE(8) ?? 0
  const preference = a.u8(k.RTA_PREF) ?? 0
  return [
    ...extras,
    ...(tos === 0 ? [] : ['tos']),
    ...(expires === 0 ? [] : ['expires']),
    ...(preference === 0 ? [] : ['pref']),
  ]
}

const REPEATED = new Set([
  ...[k.RTA_DST, k.RTA_OIF, k.RTA_GATEWAY, k.RTA_PRIORITY, k.RTA_PREFSRC, k.RTA_TABLE],
  ...[k.RTA_CACHEINFO, k.RTA_PREF],
])
const EXTRAS: Readonly<Record<number, string>> = {
  [k.RTA_SRC]: 'from',
  [k.RTA_METRICS]: 'metrics',
  [k.RTA_MULTIPATH]: 'several next hops',
  [k.RTA_FLOW]: 'realms',
  [k.RTA_VIA]: 'a gateway of the other family',
  [k.RTA_ENCAP]: 'encapsulation',
  [k.RTA_NH_ID]: 'a next hop object',
}

/** A way of a new route; `isOnlink`: the gateway need not be in a network of the link. */
export type NewHop = Pick<Hop, 'gateway' | 'index' | 'weight'> & { readonly isOnlink: boolean }

/** The main words of a route; the protocol is a number of RTPROT_NAMES. */
export interface NewRoute extends Pick<
  RawRoute,
  'destination' | 'prefix_length' | 'source' | 'table' | 'protocol' | 'metric' | 'scope'
> {
  readonly hops: readonly NewHop[]
}

export const newRoute = (name: string, route: NewRoute): Request => ({
  what: `add the route to ${route.destination}/${route.prefix_length} through ${name}`,
  type: k.RTM_NEWROUTE,
  flags: k.NLM_F_CREATE | k.NLM_F_EXCL,
  parts: parts(route),
})

/** In the place of the one of the same network, table and metric. */
export const replaceRoute = (name: string, route: NewRoute): Request => ({
  ...newRoute(name, route),
  flags: k.NLM_F_CREATE | k.NLM_F_REPLACE,
})

/** Without hops it may have any, and then without a scope any. */
export const deleteRoute = (route: NewRoute): Request => ({
  what: `remove the route to ${route.destination}/${route.prefix_length} from table ${route.table}`,
  type: k.RTM_DELROUTE,
  parts: parts(route),
})

function parts({ destination, prefix_length, source, table, metric, protocol, scope, hops }: NewRoute): Buffer[] {
  const header = Buffer.alloc(k.RTMSG_LENGTH)
  header.set([addressFamily(destination), prefix_length, 0, 0, 0, protocol, scope, k.RTN_UNICAST])
  return [
    header,
    attribute(k.RTA_DST, ipBytes(destination)),
    u32(k.RTA_TABLE, table),
    ...hopParts(header, hops),
    ...(source === '' ? [] : [attribute(k.RTA_PREFSRC, ipBytes(source))]),
    ...(metric === 0 ? [] : [u32(k.RTA_PRIORITY, metric)]),
  ]
}

/** One hop is part of the route itself, and its flags of the header. */
function hopParts(header: Buffer, hops: readonly NewHop[]): Buffer[] {
  const [only, ...more] = hops
  const family = header.readUInt8(0)
  if (!only) return []
  if (more.length > 0) return [attribute(k.RTA_MULTIPATH, Buffer.concat(hops.map((one) => nextHop(one, family))))]
  header.writeUInt32LE(flagsOf(only), 8)
  return [u32(k.RTA_OIF, only.index), ...gatewayOf(only, family)]
}

function nextHop(hop: NewHop, family: number): Buffer {
  const header = Buffer.alloc(k.RTNH_LENGTH)
  const bytes = Buffer.concat([header, ...gatewayOf(hop, family)])
  bytes.writeUInt16LE(bytes.length, 0)
  bytes.writeUInt8(flagsOf(hop), 2)
  bytes.writeUInt8(hop.weight - 1, 3)
  bytes.writeInt32LE(hop.index, 4)
  return bytes
}

const flagsOf = ({ isOnlink }: NewHop): number => (isOnlink ? k.RTNH_F_ONLINK : 0)

/** Written as `hop` reads it. */
function gatewayOf({ gateway }: NewHop, family: number): Buffer[] {
  if (gateway === '') return []
  const own = addressFamily(gateway)
  if (own === family) return [attribute(k.RTA_GATEWAY, ipBytes(gateway))]
  return [attribute(k.RTA_VIA, Buffer.concat([Buffer.from([own, 0]), ipBytes(gateway)]))]
}
