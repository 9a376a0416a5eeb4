// Which destination each slot of a rule leads to while some destinations are out of rotation. Pure.
import { ruleMark } from './mark.ts'
import type { RelayDestination, RelayRule } from './model.ts'
import { destinationSlots, drawnSlots } from './slots.ts'

type Rotating = Pick<RelayRule, 'route_rule_id' | 'balance' | 'destinations'>

/**
 * For each slot that is drawn the number of the destination that its new flows get. A slot whose own destination is not
 * out never moves; another moves only when its own comes back, when the one that has taken it goes out, or to one that
 * comes in. With nobody in rotation the backups on standby take over, and without any of those every slot leads to its
 * own destination.
 */
export function leadsOf(rule: Rotating): number[] {
  const homes = destinationSlots(rule)
  const slotsOf = (rotation: RelayDestination['rotation']): number[] =>
    [...homes.keys()].filter((slot) => rule.destinations[homes[slot] ?? 0]?.rotation === rotation)
  const leads = homes.slice(0, drawnSlots(rule))
  const out = slotsOf('out').filter((slot) => slot < leads.length)
  if (out.length === 0) return leads
  const takers = [slotsOf('in'), slotsOf('standby')].find((slots) => slots.length > 0) ?? []
  for (const slot of out) leads[slot] = homes[takerOf(rule.route_rule_id, slot, takers)] ?? leads[slot] ?? 0
  return leads
}

/** The candidate with the highest score: another one that comes or goes changes nothing between those that stay. */
function takerOf(route_rule_id: number, slot: number, takers: readonly number[]): number {
  const of = ruleMark(route_rule_id, slot)
  let [best, highest] = [slot, -1]
  for (const taker of takers) {
    const score = scoreOf(of, taker)
    if (score > highest) [best, highest] = [taker, score]
  }
  return best
}

/**
 * Any function that scatters would do, as long as it stays: another one gives the slots of destinations that are out to
 * others.
 */
function scoreOf(mark: number, taker: number): number {
  let score = Math.imul(mark ^ Math.imul(taker + 1, 0x9e37_79b1), 0x85eb_ca6b)
  score = Math.imul(score ^ (score >>> 13), 0xc2b2_ae35)
  score = Math.imul(score ^ (score >>> 16), 0x27d4_eb2f)
  return (score ^ (score >>> 15)) >>> 0
}
