// Which destination a new flow gets: its slot is drawn, and each slot of a rule leads to one destination.
import { familyOf } from './canonical.ts'
import type { RelayRule } from './model.ts'
import { flowMark, SLOTS_MAX } from './mark.ts'

/** Any value would do, as long as it stays: another one sends every client to another server. */
const HASH_SEED = '0x70616e65'

type Balanced = Pick<RelayRule, 'balance' | 'destinations' | 'bind_port' | 'bind_port_range_end'>

/**
 * For each slot the number of its destination, whether that is in rotation or not. Backups stand last, with a slot each
 * that is never drawn.
 */
export function destinationSlots(rule: Balanced): number[] {
  const { turn, turns } = turnsIn(rule)
  const primaries = rule.destinations.filter(({ is_backup }) => !is_backup).length
  return [...Array.from({ length: turns }, () => turn).flat(), ...[...rule.destinations.keys()].slice(primaries)]
}

/** The destinations in turn, and how often that is laid out. Each port of a shifted range is an element for each slot. */
export function turnsIn(rule: Balanced): { readonly turn: readonly number[]; readonly turns: number } {
  const primaries = rule.destinations.filter(({ is_backup }) => !is_backup)
  if (rule.balance === 'none' || rule.balance === 'source_hash') return { turn: [...primaries.keys()], turns: 1 }
  const weights = primaries.map(({ weight }) => weight)
  const most = SLOTS_MAX - (rule.destinations.length - primaries.length)
  return { turn: weightedSlots(weights, most), turns: isShifted(rule) ? 1 : turnsOf(weights, most) }
}

/** Whether the ports of a range are others at a destination. */
export const isShifted = ({ bind_port, bind_port_range_end, destinations }: Omit<Balanced, 'balance'>): boolean =>
  (bind_port_range_end ?? bind_port) > bind_port && destinations.some(({ port }) => port !== bind_port)

/** So many slots let a destination take its share of any that goes out, to within an eighth. */
const SLOTS_EACH = 8

/**
 * How often the turn of the destinations is laid out, so that the slots of any one that goes out can be shared out among
 * the others by their weights: exactly if that takes few slots, otherwise nearly.
 */
export function turnsOf(weights: readonly number[], most: number): number {
  const shares = sharesOf(weights, most)
  const total = shares.reduce((sum, share) => sum + share, 0)
  const exact = shares
    .map((share, at) => {
      const others = shares.filter((_, other) => other !== at)
      return (total - share) / gcd(total - share, share * others.reduce(gcd, 0)) || 1
    })
    .reduce((all, one) => (all * one) / gcd(all, one), 1)
  const near = Math.ceil(SLOTS_EACH / Math.min(...shares))
  return Math.max(1, Math.min(exact, near, Math.floor(most / total)))
}

/** New flows draw from the first so many slots. */
export const drawnSlots = (rule: Balanced): number =>
  destinationSlots(rule).length - rule.destinations.filter(({ is_backup }) => is_backup).length

/**
 * Heavier destinations have more slots, spread out so that they take turns ("smooth weighted round robin"). Weights
 * that would need more slots than there are come out in proportion, each destination with one slot at least.
 */
export function weightedSlots(weights: readonly number[], most: number): number[] {
  const shares = sharesOf(weights, most)
  const total = shares.reduce((sum, share) => sum + share, 0)
  const credit = shares.map(() => 0)
  return Array.from({ length: total }, () => {
    for (const [index, share] of shares.entries()) credit[index] = (credit[index] ?? 0) + share
    const next = credit.reduce((best, value, index) => (value > (credit[best] ?? 0) ? index : best), 0)
    credit[next] = (credit[next] ?? 0) - total
    return next
  })
}

function sharesOf(weights: readonly number[], most: number): number[] {
  const shares = weights.map((weight) => weight / weights.reduce(gcd))
  const total = shares.reduce((sum, share) => sum + share, 0)
  if (total <= most) return shares
  // One slot is everybody's; the others are shared out, so that the sum stays within bounds whatever is rounded.
  const free = most - shares.length
  return shares.map((share) => 1 + Math.floor((share / total) * free))
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b))

/** What the mark of a new flow is set to. */
export function drawnMark(rule: RelayRule): string {
  const slots = drawnSlots(rule)
  const first = flowMark(rule)
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
