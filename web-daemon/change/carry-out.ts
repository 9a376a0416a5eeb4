// Has root carry out one change, and turns the ways in which that can end into what the operator is told (decisions.md, S1 and section 4).
import type { ErrorCode } from '@panel/shared/api/errors.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import { failedChecks, type Check } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { CommandContext } from '../platform/context.ts'
import { isAway, unlessAway } from '../platform/helper/away.ts'
import { Refusal } from '../platform/http/refusal.ts'

/** A helper that dies is started again at once, and puts back what it was doing before it answers anybody. */
const LOOKS = { tries: 5, pause_ms: 400 }

type Hands = Pick<CommandContext, 'ask' | 'note'>

/** What root is asked, and how a look finds out whether it was done. `held` is an answer that only the look gave. */
export interface Asking<O extends Outcome> {
  readonly apply: () => Promise<O>
  readonly verify: () => Promise<{ readonly ok: boolean; readonly checks: Check[] }>
  readonly held: (applied: Outcome) => O
}

/** Call it inside `inTurn`. What root did is noted for the audit entry, however it ended. */
export async function carryOutAs<O extends Outcome>({ note }: Pick<Hands, 'note'>, asking: Asking<O>): Promise<O> {
  const outcome = await asking.apply().catch((thrown: unknown) => answerLost(note, asking, thrown))
  for (const step of outcome.steps) note.operation(step)
  if (outcome.outcome !== 'applied') note.operation(outcome.outcome)
  return outcome
}

export const carryOut = ({ ask, note }: Hands, change: Change<TunnelState>): Promise<Outcome> =>
  carryOutAs(
    { note },
    {
      apply: () => ask('tunnel.apply', change),
      verify: () => ask('tunnel.verify', change),
      held: (applied) => applied,
    },
  )

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
  return back.outcome === 'applied'
    ? { ...last, steps: [...steps, ...back.steps] }
    : { ...back, outcome: 'stuck', steps: [...steps, ...back.steps] }
}

/** The helper went away between question and answer: only a look at the host says how it ended. */
async function answerLost<O extends Outcome>(
  note: Hands['note'],
  { verify, held }: Asking<O>,
  thrown: unknown,
): Promise<O> {
  if (!isAway(thrown)) throw thrown
  for (let tries = 1; tries <= LOOKS.tries; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOKS.pause_ms))
    const seen = await unlessAway(verify())
    if (!seen) continue
    if (!seen.ok) break
    note.operation('the answer was lost, and the host holds what was asked for')
    return held({ outcome: 'applied', checks: seen.checks, steps: [], failure: null, remediation: [] })
  }
  throw thrown
}

interface Codes {
  readonly restored: ErrorCode
  readonly stuck: ErrorCode
}

const OF_A_TUNNEL: Codes = { restored: 'APPLY_FAILED', stuck: 'TUNNEL_INCONSISTENT' }
export const OF_FORWARDING: Codes = { restored: 'FORWARDING_APPLY_FAILED', stuck: 'FORWARDING_RULES_INCONSISTENT' }

/** Null where the change was applied. `what` is whom it concerned, as a person says it. */
export function refusalFor(
  outcome: Outcome,
  what: string,
  details: Record<string, unknown> = {},
  codes: Codes = OF_A_TUNNEL,
): Refusal | null {
  if (outcome.outcome === 'applied') return null
  const why = (outcome.failure?.message ?? 'the reason is not known').replace(/\.$/, '')
  const more = { ...details, failure: outcome.failure, failures: failedChecks(outcome.checks), steps: outcome.steps }
  if (outcome.outcome === 'restored') {
    return new Refusal(
      codes.restored,
      `The change of ${what} did not work, and everything is as it was before: ${why}.`,
      { details: more },
    )
  }
  return new Refusal(codes.stuck, `The change of ${what} did not work, and could not be undone either: ${why}.`, {
    details: { ...more, remediation: outcome.remediation },
  })
}
