// Which destination a new flow gets: its slot is drawn, and each slot of a rule leads to one destination.
import { familyOf } from './canonical.ts'
import type { RelayRule } from './model.ts'
import { flowMark, SLOTS_MAX } from './mark.ts'

/** Any value would do, as long as it stays: another one sends every client to another server. */
const HASH_SEED = '0x70616e65'

type Balanced = Pick<RelayRule, 'balance' | 'destinations'>

/**
 * For each slot the number of its destination, whether that is in rotation or not. Backups stand last, with a slot each
 * that is never drawn.
 */
export function destinationSlots({ balance, destinations }: Balanced): number[] {
  if (balance !== 'weighted') return destinations.map((_, index) => index)
  const primaries = destinations.filter(({ is_backup }) => !is_backup)
  const backups = [...destinations.keys()].slice(primaries.length)
  const weights = primaries.map(({ weight }) => weight)
  return [...weightedSlots(weights, SLOTS_MAX - backups.length), ...backups]
}

/** New flows draw from the first so many slots. */
export const drawnSlots = (rule: Balanced): number =>
  destinationSlots(rule).length - rule.destinations.filter(({ is_backup }) => is_backup).length

/**
 * Heavier destinations have more slots, spread out so that they take turns ("smooth weighted round robin"). Weights
 * that would need more slots than there are come out in proportion, each destination with one slot at least.
 */
export function weightedSlots(weights: readonly number[], most: number): number[] {
  const shares = scaled(
    weights.map((weight) => weight / weights.reduce(gcd)),
    most,
  )
  const total = shares.reduce((sum, share) => sum + share, 0)
  const credit = shares.map(() => 0)
  return Array.from({ length: total }, () => {
    for (const [index, share] of shares.entries()) credit[index] = (credit[index] ?? 0) + share
    const next = credit.reduce((best, value, index) => (value > (credit[best] ?? 0) ? index : best), 0)
    credit[next] = (credit[next] ?? 0) - total
    return next
  })
}

function scaled(shares: readonly number[], most: number): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0)
  if (total <= most) return [...shares]
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
