// Sets of intervals, as our table writes them and as the kernel holds them: one key where each interval begins, and one
// where it has ended.
import { parseCidr, networkSize } from '@panel/shared/address/ip.ts'
import type { Element } from '@panel/shared/ruleset/nft/change.ts'
import type { FoundElement } from '../../netlink/nftables/elements.ts'

/** Each as "first-last value", in order. Ports are written as "80" or "80-90", networks with their prefix length. */
export const wantedIntervals = (elements: readonly Element[]): string[] =>
  elements
    .map(([key, value]) => ({ ...(networkIn(key) ?? portsIn(key)), value }))
    .sort(byFirst)
    .map(formatInterval)

/**
 * The kernel may leave out an end where the next interval begins, and reports none for an interval that reaches the
 * last key.
 */
export function foundIntervals(elements: readonly FoundElement[]): string[] {
  const sorted = elements
    .map((one) => ({ ...one, at: BigInt(`0x${one.key.toString('hex')}`) }))
    .sort((a, b) => (a.at === b.at ? Number(b.isEnd) - Number(a.isEnd) : a.at < b.at ? -1 : 1))
  const found: Interval[] = []
  let open: Pick<Interval, 'first' | 'value'> | null = null
  for (const { at, isEnd, value } of sorted) {
    if (open) found.push({ ...open, last: at - 1n })
    open = isEnd ? null : { first: at, value }
  }
  if (open) found.push({ ...open, last: (1n << BigInt(8 * (elements[0]?.key.length ?? 0))) - 1n })
  return found.map(formatInterval)
}

interface Interval {
  readonly first: bigint
  readonly last: bigint
  readonly value: string
}

function networkIn(key: string): Omit<Interval, 'value'> | null {
  const network = parseCidr(key)
  return network && { first: network.base.value, last: network.base.value + networkSize(network) - 1n }
}

function portsIn(key: string): Omit<Interval, 'value'> {
  const [first = '0', last = first] = key.split('-')
  return { first: BigInt(first), last: BigInt(last) }
}

const byFirst = (a: Interval, b: Interval): number => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0)
const formatInterval = ({ first, last, value }: Interval): string => `${first}-${last} ${value}`
