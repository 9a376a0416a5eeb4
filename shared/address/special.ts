// Which addresses mean something special: the ranges that a tunnel or a pool treats differently.
// Source: the IANA IPv4 and IPv6 special-purpose address registries (RFC 6890 and its updates), and RFC 5771 / RFC 4291
// for multicast.
import { contains, halvesOf, parseCidr, type Cidr, type Ip } from './ip.ts'

function ranges(...texts: string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = parseCidr(text)
    if (!cidr) throw new RangeError(text)
    return cidr
  })
}

const UNSPECIFIED = ranges('0.0.0.0/8', '::/128')
const LOOPBACK = ranges('127.0.0.0/8', '::1/128')
const MULTICAST = ranges('224.0.0.0/4', 'ff00::/8')
const RESERVED = ranges('240.0.0.0/4')
const IPV4_IN_IPV6 = ranges('::ffff:0:0/96')
const LINK_LOCAL = ranges('169.254.0.0/16', 'fe80::/10')
const PRIVATE = ranges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7')
// Nothing is routed there, or not as the sender thinks: IPv4 inside IPv6 words, discard-only, benchmarking and the
// like.
const NOT_GLOBAL = ranges('192.0.0.0/24', '198.18.0.0/15', '64:ff9b:1::/48', '100::/64', '2001:2::/48')

// A gateway makes another address of it, which may be inside (RFC 6052, 8215, 3056); or it is nobody's any more (RFC 3879,
// 4291).
const LED_ELSEWHERE = ranges('64:ff9b::/96', '64:ff9b:1::/48', '2002::/16', '::/96', 'fec0::/10')

const inAny =
  (list: readonly Cidr[]) =>
  (ip: Ip): boolean =>
    list.some((cidr) => contains(cidr, ip))

export const isUnspecified = inAny(UNSPECIFIED)
export const isLoopback = inAny(LOOPBACK)
export const isMulticast = inAny(MULTICAST)
export const isReserved = inAny(RESERVED)
export const isLinkLocal = inAny(LINK_LOCAL)
export const isPrivate = inAny(PRIVATE)
export const isNotGlobal = inAny(NOT_GLOBAL)
export const isLedElsewhere = inAny(LED_ELSEWHERE)
export const isIpv4InIpv6 = inAny(IPV4_IN_IPV6)

/** No end of a tunnel has an address from here: the kernel refuses it, keeps it for itself, or does not route it. */
export const NOT_FOR_HOSTS: readonly Cidr[] = [
  ...UNSPECIFIED,
  ...LOOPBACK,
  ...MULTICAST,
  ...RESERVED,
  ...LINK_LOCAL,
  ...IPV4_IN_IPV6,
]

const NON_PUBLIC = [...NOT_FOR_HOSTS, ...PRIVATE, ...NOT_GLOBAL]

/** Globally routable or documentation space, as decisions.md R35 draws the line: one address of it is enough. */
export function isPublicRange(cidr: Cidr): boolean {
  if (NON_PUBLIC.some((one) => one.prefix_length <= cidr.prefix_length && contains(one, cidr.base))) return false
  return !NON_PUBLIC.some((one) => contains(cidr, one.base)) || halvesOf(cidr).some(isPublicRange)
}
