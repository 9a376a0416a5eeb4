// RTM_*LINK: the link messages that the kernel sends, and the requests that make, change and remove links.
import { attribute, Attributes, DecodeError, forEachAttribute, nest, text, readText, u32 } from './attributes.ts'
import * as k from './constants.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

export interface Counters {
  rx_bytes: number
  tx_bytes: number
  rx_packets: number
  tx_packets: number
  rx_errors: number
  tx_errors: number
  rx_dropped: number
  tx_dropped: number
}

/** A link as the kernel reports it. Absent numbers are 0, absent texts "". */
export interface RawLink {
  index: number
  hardwareType: number
  flags: number
  name: string
  mtu: number
  txQueueLength: number
  operState: number
  hardwareAddress: Buffer
  /** The device below, in the namespace `netnsid` where that is not null. */
  lowerIndex: number
  netnsid: number | null
  master: number
  alias: string
  altNames: string[]
  group: number
  isDormantMode: boolean
  isProtoDown: boolean
  hasXdp: boolean
  /** "" where the driver has no name for itself, as real hardware. */
  kind: string
  data: Attributes | null
  counters: Counters
}

export function decodeLink(message: Message): RawLink {
  const { body } = message
  if (message.type !== k.RTM_NEWLINK) throw new DecodeError(`message type ${message.type} where a link is due`)
  const a = new Attributes(body, k.IFINFOMSG_LENGTH)
  const info = a.nested(k.IFLA_LINKINFO)
  return {
    index: body.readInt32LE(4),
    hardwareType: body.readUInt16LE(2),
    flags: body.readUInt32LE(8),
    name: deviceName(a.text(k.IFLA_IFNAME) ?? ''),
    mtu: a.u32(k.IFLA_MTU) ?? 0,
    txQueueLength: a.u32(k.IFLA_TXQLEN) ?? 0,
    operState: a.u8(k.IFLA_OPERSTATE) ?? 0,
    hardwareAddress: a.raw(k.IFLA_ADDRESS) ?? Buffer.alloc(0),
    lowerIndex: a.u32(k.IFLA_LINK) ?? 0,
    netnsid: a.u32(k.IFLA_LINK_NETNSID),
    master: a.u32(k.IFLA_MASTER) ?? 0,
    alias: a.text(k.IFLA_IFALIAS) ?? '',
    altNames: altNames(a.raw(k.IFLA_PROP_LIST)),
    group: a.u32(k.IFLA_GROUP) ?? 0,
    isDormantMode: (a.u8(k.IFLA_LINKMODE) ?? 0) !== 0,
    isProtoDown: (a.u8(k.IFLA_PROTO_DOWN) ?? 0) !== 0,
    hasXdp: (a.nested(k.IFLA_XDP)?.u8(k.IFLA_XDP_ATTACHED) ?? 0) !== 0,
    kind: info?.text(k.IFLA_INFO_KIND) ?? '',
    data: info?.nested(k.IFLA_INFO_DATA) ?? null,
    counters: decodeCounters(a.raw(k.IFLA_STATS64)),
  }
}

/**
 * The kernel allows bytes in a name that are no UTF-8, or blanks to Unicode (dev_valid_name); no two such names need
 * stay apart here.
 */
const deviceName = (name: string): string => name.replace(/[\s/]/g, '\ufffd')

function altNames(list: Buffer | null): string[] {
  const names: string[] = []
  if (list)
    forEachAttribute(
      list,
      0,
      list.length,
      (type, from, to) => type === k.IFLA_ALT_IFNAME && names.push(readText(list, from, to)),
    )
  return names
}

/** The first eight fields of struct rtnl_link_stats64 (linux/if_link.h). */
function decodeCounters(raw: Buffer | null): Counters {
  if (raw && raw.length < 64) throw new DecodeError(`statistics of ${raw.length} bytes`)
  const at = (field: number): number =>
    raw ? raw.readUInt32LE(8 * field) + raw.readUInt32LE(8 * field + 4) * 2 ** 32 : 0
  return {
    rx_packets: at(0),
    tx_packets: at(1),
    rx_bytes: at(2),
    tx_bytes: at(3),
    rx_errors: at(4),
    tx_errors: at(5),
    rx_dropped: at(6),
    tx_dropped: at(7),
  }
}

function ifinfomsg({ index = 0, flags = 0, change = 0 } = {}): Buffer {
  const bytes = Buffer.alloc(k.IFINFOMSG_LENGTH)
  bytes.writeInt32LE(index, 4)
  bytes.writeUInt32LE(flags, 8)
  bytes.writeUInt32LE(change, 12)
  return bytes
}

export const getLink = (name: string): Request => ({
  what: `read link ${name}`,
  type: k.RTM_GETLINK,
  parts: [ifinfomsg(), text(k.IFLA_IFNAME, name)],
})

export const getLinkByIndex = (index: number): Request => ({
  what: `read link number ${index}`,
  type: k.RTM_GETLINK,
  parts: [ifinfomsg({ index })],
})

export const dumpLinks: Request = { what: 'read links', type: k.RTM_GETLINK, parts: [ifinfomsg()] }
export const dumpWithoutCounters: Request = {
  ...dumpLinks,
  parts: [ifinfomsg(), u32(k.IFLA_EXT_MASK, k.RTEXT_FILTER_SKIP_STATS)],
}

/** A new link, left down. `data` is the kind's own attributes; the kind decides of multicast if that is undefined. */
export function newLink(
  name: string,
  kind: string,
  attributes: readonly Buffer[],
  data: readonly Buffer[],
  isMulticast?: boolean,
): Request {
  return {
    what: `create ${kind} link ${name}`,
    type: k.RTM_NEWLINK,
    flags: k.NLM_F_CREATE | k.NLM_F_EXCL,
    parts: [
      ifinfomsg(isMulticast === undefined ? {} : flag(k.IFF_MULTICAST, isMulticast)),
      text(k.IFLA_IFNAME, name),
      ...attributes,
      linkInfo(kind, data),
    ],
  }
}

/** The kind's own attributes of a link that exists; without NLM_F_CREATE the kernel makes none. */
export const changeLink = (
  index: number,
  what: string,
  kind: string,
  attributes: readonly Buffer[],
  data: readonly Buffer[],
): Request => ({ what, type: k.RTM_NEWLINK, parts: [ifinfomsg({ index }), ...attributes, linkInfo(kind, data)] })

const linkInfo = (kind: string, data: readonly Buffer[]): Buffer =>
  nest(k.IFLA_LINKINFO, attribute(k.IFLA_INFO_KIND, Buffer.from(kind)), nest(k.IFLA_INFO_DATA, ...data))

export const deleteLink = (index: number, name: string): Request => ({
  what: `delete link ${name}`,
  type: k.RTM_DELLINK,
  parts: [ifinfomsg({ index })],
})

export const mtuAttribute = (mtu: number): Buffer => u32(k.IFLA_MTU, mtu)
/** A hardware address, written "02:00:5e:10:00:01". */
export const addressAttribute = (address: string): Buffer =>
  attribute(k.IFLA_ADDRESS, Buffer.from(address.replaceAll(':', ''), 'hex'))
export const addressText = (bytes: Buffer): string => (bytes.toString('hex').match(/../g) ?? []).join(':')
export const queueAttribute = (length: number): Buffer => u32(k.IFLA_TXQLEN, length)

export const setLink = (index: number, what: string, attribute: Buffer): Request => ({
  what,
  type: k.RTM_SETLINK,
  parts: [ifinfomsg({ index }), attribute],
})

export const setLinkUp = (index: number, name: string, isUp: boolean): Request =>
  setFlag(index, `set link ${name} ${isUp ? 'up' : 'down'}`, k.IFF_UP, isUp)

export const setMulticast = (index: number, what: string, isMulticast: boolean): Request =>
  setFlag(index, what, k.IFF_MULTICAST, isMulticast)

const setFlag = (index: number, what: string, bit: number, isOn: boolean): Request => ({
  what,
  type: k.RTM_SETLINK,
  parts: [ifinfomsg({ index, ...flag(bit, isOn) })],
})

const flag = (bit: number, isOn: boolean): { flags: number; change: number } => ({ flags: isOn ? bit : 0, change: bit })
