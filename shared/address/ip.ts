// IP addresses and networks as values: one spelling per address (RFC 5952 for IPv6), arithmetic on bigints.
import { ipv4Text, ipv4Value, ipv6Text, ipv6Value, isIpv4 } from './text.ts'

export type Family = 4 | 6

/** An address as a number: `value` counts from 0 to 2^32-1 (IPv4) or 2^128-1 (IPv6). */
export interface Ip {
  readonly family: Family
  readonly value: bigint
}

/** A network: `base` has no host bits set. */
export interface Cidr {
  readonly base: Ip
  readonly prefix_length: number
}

export const bitsOf = (family: Family): 32 | 128 => (family === 4 ? 32 : 128)

/** Returns null where the text is not exactly one IPv4 or IPv6 address. */
export function parseIp(text: string): Ip | null {
  const [family, value] = text.includes(':') ? ([6, ipv6Value(text)] as const) : ([4, ipv4Value(text)] as const)
  return value === null ? null : { family, value: BigInt(value) }
}

/** Throws a RangeError on a number that is no address of its family. */
export function formatIp({ family, value }: Ip): string {
  if (value >> BigInt(bitsOf(family)) !== 0n) throw new RangeError(`${value} is not an IPv${family} address`)
  return family === 4 ? ipv4Text(value) : ipv6Text(value)
}

/** The one spelling of an address; throws a RangeError on text that is no address. */
export function canonicalIp(text: string): string {
  // The pattern admits one spelling per IPv4 address, and a thousand tunnels have thousands of them.
  if (isIpv4(text)) return text
  const ip = parseIp(text)
  if (!ip) throw new RangeError(`${JSON.stringify(text)} is not an IP address`)
  return formatIp(ip)
}

/** The address of a CIDR, in canonical spelling. */
export const addressIn = (cidr: string): string => canonicalIp(cidr.split('/')[0] ?? '')

/** IPv4 before IPv6, then by number. */
export function compareIp(a: Ip, b: Ip): number {
  if (a.family !== b.family) return a.family - b.family
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0
}

export function enclosingNetwork(ip: Ip, prefix_length: number): Cidr {
  const hostBits = BigInt(bitsOf(ip.family) - prefix_length)
  return { base: { family: ip.family, value: (ip.value >> hostBits) << hostBits }, prefix_length }
}

/** Reads `address/length`, masking host bits; a bare address is a network of one. Null where it is neither. */
export function parseCidr(text: string): Cidr | null {
  const [address = '', length, ...rest] = text.split('/')
  const ip = parseIp(address)
  if (!ip || rest.length > 0) return null
  if (length === undefined) return enclosingNetwork(ip, bitsOf(ip.family))
  if (!/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > bitsOf(ip.family)) return null
  return enclosingNetwork(ip, Number(length))
}

export const formatCidr = (cidr: Cidr): string => `${formatIp(cidr.base)}/${cidr.prefix_length}`

export const networkSize = (cidr: Cidr): bigint => 1n << BigInt(bitsOf(cidr.base.family) - cidr.prefix_length)

/** The two networks that are together one that is no single address. */
export function halvesOf({ base, prefix_length }: Cidr): [Cidr, Cidr] {
  const upper = { family: base.family, value: base.value + (1n << BigInt(bitsOf(base.family) - prefix_length - 1)) }
  return [
    { base, prefix_length: prefix_length + 1 },
    { base: upper, prefix_length: prefix_length + 1 },
  ]
}

export function contains(cidr: Cidr, ip: Ip): boolean {
  return ip.family === cidr.base.family && enclosingNetwork(ip, cidr.prefix_length).base.value === cidr.base.value
}

export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.prefix_length <= b.prefix_length ? contains(a, b.base) : contains(b, a.base)
}
