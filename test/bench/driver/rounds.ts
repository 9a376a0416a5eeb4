// Runs as many rounds as requested, or until the time is up; what is measured while warming up is not kept.
import type { Rounds } from './jobs.ts'

export async function inRounds(
  { warm_up, rounds, budget_ms, fewest = 5 }: Rounds,
  round: (isKept: boolean) => Promise<void>,
): Promise<void> {
  const until = performance.now() + budget_ms
  for (let turn = -warm_up; turn < rounds; turn += 1) {
    if (turn >= fewest && performance.now() > until) return
    await round(turn >= 0)
  }
}
