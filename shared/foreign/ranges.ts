// Addresses and ports as ranges of numbers, so that a condition and what is known of a packet can be compared.
import { networkSize, parseCidr, parseIp } from '../address/ip.ts'

/** "maybe": some of what a packet may be meets it. */
export type Match = 'yes' | 'no' | 'maybe'

export interface Range {
  readonly first: bigint
  readonly last: bigint
}

/** IPv6 begins above all of IPv4. */
const IPV6 = 1n << 128n

/** Null where it is no address. */
export function addressValue(text: string): bigint | null {
  const ip = parseIp(text)
  return ip && ip.value + (ip.family === 6 ? IPV6 : 0n)
}

/** Reads an address, a network or a range of addresses; null where it is none. */
export function addressRange(text: string): Range | null {
  const [first, last] = text.split('-').map((end) => {
    const cidr = parseCidr(end)
    if (!cidr) return null
    const base = cidr.base.value + (cidr.base.family === 6 ? IPV6 : 0n)
    return { first: base, last: base + networkSize(cidr) - 1n }
  })
  if (!first || last === null) return null
  return { first: first.first, last: (last ?? first).last }
}

export function portRange(text: string): Range {
  const [first = '', last = first] = text.split('-')
  return { first: BigInt(first), last: BigInt(last) }
}

/** Those that touch or overlap as one, in their order. */
export function mergedRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const range of [...ranges].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const before = merged.at(-1)
    if (!before || range.first > before.last + 1n) merged.push(range)
    else if (range.last > before.last) merged[merged.length - 1] = { first: before.first, last: range.last }
  }
  return merged
}

/** `wanted` are merged. */
export function rangeMatch(found: Range, wanted: readonly Range[]): Match {
  let low = 0
  let high = wanted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((wanted[middle]?.last ?? 0n) < found.first) low = middle + 1
    else high = middle
  }
  const near = wanted[low]
  if (!near || near.first > found.last) return 'no'
  return near.first <= found.first && found.last <= near.last ? 'yes' : 'maybe'
}

/** The match of something that is one of several: they have to agree. */
export const agreed = (matches: readonly Match[]): Match => {
  const [first = 'maybe', ...rest] = matches
  return rest.every((one) => one === first) ? first : 'maybe'
}

/** Divides numbers so that two of one division are alike to every range that was given. */
export class Divisions {
  readonly #bounds: readonly bigint[]

  constructor(ranges: readonly Range[]) {
    const bounds = new Set(ranges.flatMap(({ first, last }) => [first, last + 1n]))
    this.#bounds = [...bounds].sort((a, b) => (a < b ? -1 : 1))
  }

  of(value: bigint): number {
    let low = 0
    let high = this.#bounds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#bounds[middle] ?? 0n) <= value) low = middle + 1
      else high = middle
    }
    return low
  }
}
