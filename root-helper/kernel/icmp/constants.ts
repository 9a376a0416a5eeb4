// Numbers of linux/icmp.h, linux/icmpv6.h, linux/in.h and linux/in6.h, and the words for what routers say.
export type Family = 4 | 6

export const HEADER_BYTES = 8
export const COOKIE_BYTES = 8

export const ECHO_REQUEST = { 4: 8, 6: 128 } as const
export const ECHO_REPLY = { 4: 0, 6: 129 } as const

export const SOL_IP = 0
export const IP_MTU_DISCOVER = 10
/** Don't-Fragment unset, as big as it may be; and set, whatever is known of the path. */
export const IP_PMTUDISC_DONT = 0
export const IP_PMTUDISC_PROBE = 3
export const SOL_IPV6 = 41
export const IPV6_MTU_DISCOVER = 23
export const IPV6_PMTUDISC_WANT = 1
export const IPV6_PMTUDISC_PROBE = 3
export const IPV6_DONTFRAG = 62
export const SOL_RAW = 255
export const ICMP_FILTER = 1
export const SOL_ICMPV6 = 58
export const ICMPV6_FILTER = 1

/** What an error means for the request that it quotes. */
export type ErrorKind = 'unreachable' | 'too_big' | 'hop'

interface Meaning {
  readonly kind: ErrorKind
  readonly text: string
}

const unreachable = (text: string): Meaning => ({ kind: 'unreachable', text: text })
const TOO_BIG: Meaning = { kind: 'too_big', text: 'the packet is too big and may not be fragmented' }
const HOP: Meaning = { kind: 'hop', text: 'the hop limit was used up on the way' }
const REASSEMBLY = unreachable('not all fragments of the packet arrived')
const PROHIBITED = unreachable('a filter prohibits it')

/** Meanings by type and code; a code that is not here is `other` of its type. */
const MEANINGS: Record<Family, Record<number, { readonly other: Meaning; readonly codes: Record<number, Meaning> }>> = {
  4: {
    3: {
      other: unreachable('destination unreachable'),
      codes: {
        0: unreachable('network unreachable'),
        1: unreachable('host unreachable'),
        2: unreachable('protocol unreachable'),
        3: unreachable('port unreachable'),
        4: TOO_BIG,
        5: unreachable('source route failed'),
        6: unreachable('network unknown'),
        7: unreachable('host unknown'),
        9: PROHIBITED,
        10: PROHIBITED,
        13: PROHIBITED,
      },
    },
    11: { other: HOP, codes: { 1: REASSEMBLY } },
    12: { other: unreachable('the header has an error'), codes: {} },
  },
  6: {
    1: {
      other: unreachable('destination unreachable'),
      codes: {
        0: unreachable('no route'),
        1: PROHIBITED,
        2: unreachable('beyond the scope of the source address'),
        3: unreachable('address unreachable'),
        4: unreachable('port unreachable'),
        5: PROHIBITED,
        6: unreachable('a route rejects it'),
      },
    },
    2: { other: TOO_BIG, codes: {} },
    3: { other: HOP, codes: { 1: REASSEMBLY } },
    4: { other: unreachable('the header has an error'), codes: {} },
  },
}

/** Null where the type is not an error about a packet. */
export function errorMeaning(family: Family, type: number, code: number): Meaning | null {
  const found = MEANINGS[family][type]
  return found ? (found.codes[code] ?? found.other) : null
}

/** The types that are worth waking up for. */
export const wantedTypes = (family: Family): number[] => [
  ECHO_REPLY[family],
  ...Object.keys(MEANINGS[family]).map(Number),
]
