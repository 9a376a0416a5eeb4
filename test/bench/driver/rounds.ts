// Runs a round as often as asked, or until the time is up; what is measured while warming up is not kept.
import type { Rounds } from './jobs.ts'

/** So few that nothing could be said of them are not broken off. */
const FEWEST = 5

export async function inRounds({ warm_up, rounds, budget_ms }: Rounds, round: (isKept: boolean) => Promise<void>): Promise<void> {
  const until = performance.now() + budget_ms
  for (let turn = -warm_up; turn < rounds; turn += 1) {
    if (turn >= FEWEST && performance.now() > until) return
    await round(turn >= 0)
  }
}
