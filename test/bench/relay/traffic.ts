// The rounds of traffic: each goes through every lane in turn, so that what the machine does beside is shared by all.
import { median } from '../figures.ts'
import type { Rounds } from '../driver/jobs.ts'
import { inRounds } from '../driver/rounds.ts'
import type { Lane } from './layouts.ts'
import type { Kind, Load, Seen } from './load.ts'

/** Measurements by lane, one for each round. */
export class Measured {
  readonly #seen = new Map<string, Seen[]>()
  readonly rounds: number

  constructor(seen: Map<string, Seen[]>, rounds: number) {
    this.#seen = seen
    this.rounds = rounds
  }

  has(key: string): boolean {
    return this.#seen.has(key)
  }

  of(key: string, figure: (seen: Seen) => number): number[] {
    const all = this.#seen.get(key)
    if (!all) throw new Error(`Nothing was measured through ${key}`)
    return all.map(figure)
  }

  /** The median of what one round says, since a slow moment of the machine falls on neighbours alike. */
  ratio(key: string, reference: string, figure: (seen: Seen) => number): number {
    const [these, those] = [this.of(key, figure), this.of(reference, figure)]
    return median(these.map((value, round) => value / (those[round] ?? NaN)))
  }
}

export const perSecond = ({ done, ms }: Seen): number => (done * 1000) / ms

export async function measureAll(
  load: Load,
  lanes: readonly Lane[],
  kind: Kind,
  window_ms: number,
  rounds: Rounds,
): Promise<Measured> {
  const taking = lanes.filter(({ kinds }) => kinds.includes(kind))
  const seen = new Map<string, Seen[]>(taking.map(({ key }) => [key, []]))
  let done = 0
  await inRounds(rounds, async (isKept) => {
    // Every other round the other way round: what comes late in a round is not always the same.
    for (const { key, place } of done % 2 === 0 ? taking : [...taking].reverse()) {
      const window = await load.measure(kind, place, window_ms)
      if (!isKept) continue
      if (window.done === 0) throw new Error(`Nothing came through ${key} (${kind})`)
      seen.get(key)?.push(window)
    }
    done += 1
  })
  return new Measured(seen, done - rounds.warm_up)
}
