// Which destination a new flow gets: its slot is drawn, and each slot of a rule leads to one destination.
import { familyOf } from './canonical.ts'
import type { RelayRule } from './model.ts'
import { ruleMark, SLOTS_MAX } from './mark.ts'

/** Any value would do, as long as it stays: another one sends every client to another server. */
const HASH_SEED = '0x70616e65'

/** For each slot the number of its destination. */
export function destinationSlots({ balance, destinations }: Pick<RelayRule, 'balance' | 'destinations'>): number[] {
  return balance === 'weighted'
    ? weightedSlots(destinations.map(({ weight }) => weight))
    : destinations.map((_, index) => index)
}

/**
 * Heavier destinations have more slots, spread out so that they take turns ("smooth weighted round robin"). Weights that would need
 * more slots than there are come out in proportion, each destination with one slot at least.
 */
function weightedSlots(weights: readonly number[]): number[] {
  const shares = scaled(weights.map((weight) => weight / weights.reduce(gcd)))
  const total = shares.reduce((sum, share) => sum + share, 0)
  const credit = shares.map(() => 0)
  return Array.from({ length: total }, () => {
    for (const [index, share] of shares.entries()) credit[index] = (credit[index] ?? 0) + share
    const next = credit.reduce((best, value, index) => (value > (credit[best] ?? 0) ? index : best), 0)
    credit[next] = (credit[next] ?? 0) - total
    return next
  })
}

function scaled(shares: readonly number[]): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0)
  if (total <= SLOTS_MAX) return [...shares]
  // One slot is everybody's; the others are shared out, so that the sum stays within bounds whatever is rounded.
  const free = SLOTS_MAX - shares.length
  return shares.map((share) => 1 + Math.floor((share / total) * free))
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/**
 * nft cannot add, so each port of a shifted range is an element, for each slot that leads there. More than so many are
 * refused.
 */
export const SHIFTED_PORTS_MAX = 65_536

export function shiftedPorts(rule: RelayRule): number {
  const ports = (rule.bind_port_range_end ?? rule.bind_port) - rule.bind_port + 1
  const isShifted = (index: number): boolean => ports > 1 && rule.destinations[index]?.port !== rule.bind_port
  return ports * destinationSlots(rule).filter(isShifted).length
}

/**
 * Of all rules that a host holds. Whoever reads the table has all of it in memory; ten thousand plain rules are as many
 * elements.
 */
export const ELEMENTS_MAX = 131_072

/** How much a rule adds to the table, beside the same few elements for each rule. */
export function elementsOf(rule: RelayRule): number {
  return destinationSlots(rule).length + shiftedPorts(rule) + rule.allowed_sources.length
}

/** What the mark of a new flow is set to. */
export function drawnMark(rule: RelayRule): string {
  const slots = destinationSlots(rule).length
  const first = ruleMark(rule.route_rule_id)
  switch (rule.balance) {
    case 'none':
      return `0x${first.toString(16).padStart(8, '0')}`
    case 'source_hash':
      return `jhash ${familyOf(rule) === 4 ? 'ip' : 'ip6'} saddr mod ${slots} seed ${HASH_SEED} offset ${first}`
    case 'round_robin':
    case 'weighted':
      return `numgen inc mod ${slots} offset ${first}`
  }
}
