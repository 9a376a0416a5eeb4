// Has root carry out one change, and turns the ways in which that can end into what the operator is told (decisions.md, S1 and section 4).
import type { TunnelState } from '@panel/shared/model/tunnel.ts'
import { invert, type Change } from '@panel/shared/plan/change.ts'
import { failuresOf } from '@panel/shared/plan/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { CommandContext } from '../context.ts'
import { Refusal } from '../http/refusal.ts'

/** A helper that dies is started again at once, and puts back what it was doing before it answers anybody. */
const LOOKS = { tries: 5, pause_ms: 400 }

type Hands = Pick<CommandContext, 'ask' | 'note'>

/** Call it inside `inTurn`. What root did is noted for the audit entry, however it ended. */
export async function carryOut(context: Hands, change: Change<TunnelState>): Promise<Outcome> {
  const outcome = await context.ask('tunnel.apply', change).catch((thrown: unknown) => answerLost(context, change, thrown))
  for (const step of outcome.steps) context.note.operation(step)
  if (outcome.outcome !== 'applied') context.note.operation(outcome.outcome)
  return outcome
}

/** Carries out several changes, each from where the one before it ends. Where one fails, those before it are taken back. */
export async function carryOutAll(context: Hands, changes: readonly Change<TunnelState>[]): Promise<Outcome> {
  const [change, ...rest] = changes
  if (!change) throw new Error('No change was given to carry out')
  const first = await carryOut(context, change)
  if (first.outcome !== 'applied' || rest.length === 0) return first
  const last = await carryOutAll(context, rest).catch(async (thrown: unknown) => {
    await carryOut(context, invert(change))
    throw thrown
  })
  const steps = [...first.steps, ...last.steps]
  if (last.outcome !== 'restored') return { ...last, steps }
  const back = await carryOut(context, invert(change))
  return back.outcome === 'applied' ? { ...last, steps: [...steps, ...back.steps] } : { ...back, outcome: 'stuck', steps: [...steps, ...back.steps] }
}

/** The helper went away between question and answer: only a look at the host says how it ended. */
async function answerLost({ ask, note }: Hands, change: Change<TunnelState>, thrown: unknown): Promise<Outcome> {
  if (!(thrown instanceof Refusal) || thrown.code !== 'HELPER_UNAVAILABLE') throw thrown
  for (let tries = 1; tries <= LOOKS.tries; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOKS.pause_ms))
    const seen = await ask('tunnel.verify', change).catch(unlessAway)
    if (!seen) continue
    if (!seen.ok) break
    note.operation('the answer was lost, and the host holds what was asked for')
    return { outcome: 'applied', checks: seen.checks, steps: [], failure: null, remediation: [] }
  }
  throw thrown
}

function unlessAway(thrown: unknown): null {
  if (thrown instanceof Refusal && thrown.code === 'HELPER_UNAVAILABLE') return null
  throw thrown
}

/** Null where the change was applied. `what` is whom it concerned, as a person says it. */
export function refusalFor(outcome: Outcome, what: string, details: Record<string, unknown> = {}): Refusal | null {
  if (outcome.outcome === 'applied') return null
  const why = (outcome.failure?.message ?? 'the reason is not known').replace(/\.$/, '')
  const more = { ...details, failure: outcome.failure, failures: failuresOf(outcome.checks), steps: outcome.steps }
  if (outcome.outcome === 'restored') {
    return new Refusal('APPLY_FAILED', `The change of ${what} did not work, and everything is as it was before: ${why}.`, { details: more })
  }
  return new Refusal('TUNNEL_INCONSISTENT', `The change of ${what} did not work, and could not be undone either: ${why}.`, { details: { ...more, remediation: outcome.remediation } })
}
