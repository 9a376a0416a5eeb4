// RTM_*ADDR: addresses of links. IPv4 and IPv6 report a peer in different ways, and only this file knows how.
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { attribute, Attributes, DecodeError, text, u8, u32 } from './attributes.ts'
import { addressFamily, ipBytes, ipText, isFamily, addressLength, type AddressFamily } from './bytes.ts'
import * as k from './constants.ts'
import type { Message } from './message.ts'
import type { Request } from './socket.ts'

const FOREVER = 0xffff_ffff

export interface RawAddress extends TunnelAddress {
  index: number
  family: AddressFamily
  flags: number
  scope: number
  /** IPv4 only; "" where there is none. */
  label: string
  broadcast: string
  metric: number
  /** IFAPROT_*: who made it. */
  origin: number
  /** Seconds; null is for ever. */
  validSeconds: number | null
  preferredSeconds: number | null
}

/** Null for an address of another family than IPv4 and IPv6. */
export function decodeAddress(message: Message): RawAddress | null {
  const { body } = message
  if (message.type !== k.RTM_NEWADDR) throw new DecodeError(`message type ${message.type} where an address is due`)
  const a = new Attributes(body, k.IFADDRMSG_LENGTH)
  const family = body.readUInt8(0)
  if (!isFamily(family)) return null
  const cache = a.raw(k.IFA_CACHEINFO)
  if (cache && cache.length < 8) throw new DecodeError(`lifetimes of ${cache.length} bytes`)
  return {
    index: body.readUInt32LE(4),
    family,
    ...addressAndPeer(family, a),
    prefix_length: body.readUInt8(1),
    flags: a.u32(k.IFA_FLAGS) ?? body.readUInt8(2),
    scope: body.readUInt8(3),
    label: a.text(k.IFA_LABEL) ?? '',
    broadcast: optionalIp(family, a.raw(k.IFA_BROADCAST)),
    metric: a.u32(k.IFA_RT_PRIORITY) ?? 0,
    origin: a.u8(k.IFA_PROTO) ?? 0,
    preferredSeconds: lifetime(cache?.readUInt32LE(0)),
    validSeconds: lifetime(cache?.readUInt32LE(4)),
  }
}

const lifetime = (seconds: number | undefined): number | null =>
  seconds === undefined || seconds === FOREVER ? null : seconds

/**
 * IPv4 always has IFA_LOCAL, and IFA_ADDRESS is the same or the peer; IPv6 has IFA_LOCAL only where IFA_ADDRESS is a
 * peer (linux/if_addr.h).
 */
function addressAndPeer(family: AddressFamily, a: Attributes): { address: string; peer_address: string } {
  const far = optionalIp(family, a.raw(k.IFA_ADDRESS))
  const near = optionalIp(family, a.raw(k.IFA_LOCAL)) || far
  if (near === '') throw new DecodeError('an address message without an address')
  return { address: near, peer_address: far === near ? '' : far }
}

function optionalIp(family: AddressFamily, raw: Buffer | null): string {
  if (!raw) return ''
  if (raw.length !== addressLength(family))
    throw new DecodeError(`an address of ${raw.length} bytes in family ${family}`)
  return ipText(raw)
}

function ifaddrmsg(family: number, prefixLength: number, scope: number, index: number): Buffer {
  const bytes = Buffer.alloc(k.IFADDRMSG_LENGTH)
  bytes.writeUInt8(family, 0)
  bytes.writeUInt8(prefixLength, 1)
  bytes.writeUInt8(scope, 3)
  bytes.writeUInt32LE(index, 4)
  return bytes
}

/** Addresses of one link, or of all where the index is 0. */
export const dumpAddresses = (index: number): Request => ({
  what: 'read addresses',
  type: k.RTM_GETADDR,
  parts: [ifaddrmsg(k.AF_UNSPEC, 0, 0, index)],
})

function parts(
  index: number,
  { address, peer_address, prefix_length }: TunnelAddress,
  scope = k.RT_SCOPE_UNIVERSE,
): Buffer[] {
  const far = peer_address === '' ? address : peer_address
  return [
    ifaddrmsg(addressFamily(address), prefix_length, scope, index),
    attribute(k.IFA_LOCAL, ipBytes(address)),
    attribute(k.IFA_ADDRESS, ipBytes(far)),
  ]
}

export const formatCidr = ({ address, prefix_length }: TunnelAddress): string => `${address}/${prefix_length}`

const addition = (name: string, address: TunnelAddress, ...all: Buffer[]): Request => ({
  what: `add address ${formatCidr(address)} to ${name}`,
  type: k.RTM_NEWADDR,
  flags: k.NLM_F_CREATE | k.NLM_F_EXCL,
  parts: all,
})

export const newAddress = (index: number, name: string, address: TunnelAddress): Request =>
  addition(name, address, ...parts(index, address))

/**
 * Names who made it (IFA_PROTO), which kernels before 5.18 pass over. The address is looked for nowhere else (RFC 4862,
 * 5.4), so that a route may have it as its source at once.
 */
export const newOwnAddress = (origin: number, index: number, name: string, address: TunnelAddress): Request =>
  addition(name, address, ...parts(index, address), u8(k.IFA_PROTO, origin), u32(k.IFA_FLAGS, k.IFA_F_NODAD))

/** An address put back with everything that it had. */
export function restoreAddress(name: string, raw: RawAddress): Request {
  const cache = Buffer.alloc(16) // struct ifa_cacheinfo; its time stamps are the kernel's
  cache.writeUInt32LE(raw.preferredSeconds ?? FOREVER, 0)
  cache.writeUInt32LE(raw.validSeconds ?? FOREVER, 4)
  return addition(
    name,
    raw,
    ...parts(raw.index, raw, raw.scope),
    u32(k.IFA_FLAGS, raw.flags),
    attribute(k.IFA_CACHEINFO, cache),
    ...(raw.label === '' ? [] : [text(k.IFA_LABEL, raw.label)]),
    ...(raw.broadcast === '' ? [] : [attribute(k.IFA_BROADCAST, ipBytes(raw.broadcast))]),
    ...(raw.metric === 0 ? [] : [u32(k.IFA_RT_PRIORITY, raw.metric)]),
  )
}

export const deleteAddress = (index: number, name: string, address: TunnelAddress): Request => ({
  what: `remove address ${formatCidr(address)} from ${name}`,
  type: k.RTM_DELADDR,
  parts: parts(index, address),
})
