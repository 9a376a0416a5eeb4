// Gives rules that stand in a new order places that say so, and changes the place of as few of them as that takes.
// Pure.
import { U32_MAX } from '@panel/shared/schema.ts'

export interface Placed {
  readonly route_rule_id: number
  readonly sort_order: number
}

/** What is left between two rules that join at the end of the list. */
const STEP = 10
/** Likewise where it became too narrow ahead of them. */
const WIDE_STEP = 1000

/**
 * The rules in the order that they shall have, with the places that they had; those of the answer are new, of each that
 * has another place.
 */
export function newPlaces(wanted: readonly Placed[]): Placed[] {
  const stays = staying(wanted)
  const places = wanted.map(({ sort_order }, at) => (stays[at] ? sort_order : null))
  for (let at = 0; at < wanted.length; at += 1) if (places[at] === null) at = fillGap(places, at)
  return wanted.flatMap(({ route_rule_id, sort_order }, at) =>
    places[at] === sort_order ? [] : [{ route_rule_id, sort_order: places[at] ?? 0 }],
  )
}

/**
 * Fills the gap that begins there, and takes in neighbours from both sides until there is room; the more of them, the
 * more room for each, so that those who come between them later need not move as many again. Gives back where it ends.
 */
function fillGap(places: (number | null)[], at: number): number {
  let [first, last, widened] = [at, at, 0]
  while (places[last + 1] === null) last += 1
  for (;;) {
    const below = places[first - 1] ?? -1
    const above =
      places[last + 1] ?? Math.min(below + (widened === 0 ? STEP : WIDE_STEP) * (last - first + 2), U32_MAX + 1)
    const room = above - below - 1
    const count = last - first + 1
    const isAll = first === 0 && last === places.length - 1
    if (room >= (widened === 0 || isAll ? count : count * (1.5 + widened / 2))) {
      for (let one = 0; one < count; one += 1)
        places[first + one] = below + Math.floor(((above - below) * (one + 1)) / (count + 1))
      return last
    }
    widened += 1
    if (first > 0) first -= 1
    while (places[last + 1] !== undefined && (places[last + 1] === null || last - first + 1 < 2 * count)) last += 1
  }
}

/**
 * Which rules can keep their places in the new order, as many as possible: a longest sequence that ascends already, of
 * equal places by the ids.
 */
function staying(wanted: readonly Placed[]): boolean[] {
  /**
   * At i the end of the lowest-ending sequence of i + 1 rules, and for each rule the one before it in the longest that
   * ends there.
   */
  const ends: number[] = []
  const before = wanted.map((rule, at) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (stands(wanted[ends[middle] ?? 0], rule)) low = middle + 1
      else high = middle
    }
    ends[low] = at
    return ends[low - 1] ?? null
  })
  const stays = wanted.map(() => false)
  for (let at: number | null = ends.at(-1) ?? null; at !== null; at = before[at] ?? null) stays[at] = true
  return stays
}

const stands = (first: Placed | undefined, second: Placed): boolean =>
  first !== undefined &&
  (first.sort_order < second.sort_order ||
    (first.sort_order === second.sort_order && first.route_rule_id < second.route_rule_id))
