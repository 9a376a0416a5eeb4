// Which destination each slot of a rule leads to while some destinations are out of rotation. Pure.
import { ruleMark, SLOTS_MAX } from './mark.ts'
import type { RelayDestination, RelayRule } from './model.ts'
import { destinationSlots, drawnSlots, weightedSlots } from './slots.ts'

type Rotating = Parameters<typeof destinationSlots>[0] & Pick<RelayRule, 'route_rule_id'>

/**
 * For each slot that is drawn the number of the destination that its new flows get. A slot whose own destination is not
 * out never moves; another moves only when its own comes back, when the one that has taken it goes out, or to one that
 * comes in. With nobody in rotation the backups on standby take over, and without any of those every slot leads to its
 * own destination.
 */
export function leadsOf(rule: Rotating): number[] {
  const leads = destinationSlots(rule).slice(0, drawnSlots(rule))
  const numbers = [...rule.destinations.keys()]
  const having = (rotation: RelayDestination['rotation']): number[] =>
    numbers.filter((one) => rule.destinations[one]?.rotation === rotation)
  const [others, standby] = [having('in'), having('standby')]
  if (others.length > 0) {
    const primaries = numbers.filter((one) => rule.destinations[one]?.is_backup === false)
    const homes = primaries
      .filter((one) => !others.includes(one))
      .map((home) => ({ past: [home], slots: slotsTo(home, leads) }))
    deal(rule, { leads, members: primaries, takers: others }, homes)
  } else if (standby.length > 0) {
    const backups = numbers.filter((one) => rule.destinations[one]?.is_backup === true)
    deal(rule, { leads, members: backups, takers: standby }, [{ past: [], slots: [...leads.keys()] }])
  }
  return leads
}

const slotsTo = (home: number, leads: readonly number[]): number[] =>
  [...leads.keys()].filter((slot) => leads[slot] === home)

/** Slots that led to the same destinations before, in whatever order; all of those are out. */
interface Group {
  readonly past: readonly number[]
  readonly slots: readonly number[]
}

interface Dealing {
  readonly leads: number[]
  readonly members: readonly number[]
  readonly takers: readonly number[]
}

/**
 * Deals the slots of each group out among the members that they have not led to yet, by weight. Those that come to one
 * that is out make groups of the next round, and so on: where a slot goes depends on nothing but what is out before it.
 */
function deal(rule: Rotating, { leads, members, takers }: Dealing, groups: readonly Group[]): void {
  const next = new Map<string, Group>()
  for (const { past, slots } of groups) {
    const others = members.filter((one) => !past.includes(one))
    const turn = weightedSlots(
      others.map((one) => rule.destinations[one]?.weight ?? 1),
      SLOTS_MAX,
    )
    const first = scoreOf(ruleMark(rule.route_rule_id), past)
    for (const [at, slot] of [...slots].sort((a, b) => a - b).entries()) {
      const to = others[turn[(first + at) % turn.length] ?? 0] ?? 0
      if (takers.includes(to)) leads[slot] = to
      else {
        const gone = [...past, to].sort((a, b) => a - b)
        const there = next.get(gone.join(' '))?.slots ?? []
        next.set(gone.join(' '), { past: gone, slots: [...there, slot] })
      }
    }
  }
  if (next.size > 0) deal(rule, { leads, members, takers }, [...next.values()])
}

/**
 * The place in the turn of a group where its first slot is dealt, another one for each rule. Any function that scatters
 * would do, as long as it stays: another one gives the slots of destinations that are out to others.
 */
function scoreOf(mark: number, past: readonly number[]): number {
  let score = mark
  for (const one of past) score = Math.imul(score ^ Math.imul(one + 1, 0x9e37_79b1), 0x85eb_ca6b)
  score = Math.imul(score ^ (score >>> 13), 0xc2b2_ae35)
  score = Math.imul(score ^ (score >>> 16), 0x27d4_eb2f)
  return (score ^ (score >>> 15)) >>> 0
}
