// Sends changes to root one after the other, and finds out how that ended: a piece that fails has those before it taken
// back.
import { message } from '@panel/shared/messages/message.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { CommandContext } from '../platform/context.ts'
import { isHelperAway, nullIfHelperAway } from '../platform/helper/away.ts'
import type { Refusal } from '../platform/http/refusal.ts'

/** How a series of changes ended, as far as anybody knows. */
export type Ending =
  | { readonly status: 'applied'; readonly outcome: Outcome }
  | { readonly status: 'restored' | 'stuck'; readonly outcome: Outcome }
  /** Root did not begin, or put back what it had begun: the host is as it was before. */
  | { readonly status: 'refused'; readonly reason: unknown }
  /** The helper went away, and nothing says whether it carried the change out. */
  | { readonly status: 'unknown'; readonly reason: Refusal }

/** What carries out the changes of one noun. */
export interface Carrier<State> {
  readonly apply: (change: Change<State>) => Promise<Outcome>
  readonly verify: (change: Change<State>) => Promise<{ readonly ok: boolean; readonly checks: Check[] }>
  readonly split: (change: Change<State>) => Change<State>[]
  readonly undo?: (change: Change<State>) => Change<State>
}

/** What takes a change back that was applied. */
export const undoOf = <S>(carrier: Pick<Carrier<S>, 'undo'>, change: Change<S>): Change<S> =>
  carrier.undo?.(change) ?? invert(change)

type Deps = Pick<CommandContext, 'note'>

/** A helper that dies is started again at once, and puts back its change before it answers anybody. */
const RETRY = { tries: 5, pause_ms: 400 }

/**
 * Carries out changes of which each begins where the one before it ends. Call it inside `inTurn`. The checks are those
 * of the last change. Every step that root took is noted for the audit entry, however it ended.
 */
export async function carryOut<S>(deps: Deps, carrier: Carrier<S>, changes: readonly Change<S>[]): Promise<Ending> {
  const done: Change<S>[] = []
  const steps: string[] = []
  let checks: Check[] = []
  for (const change of changes) {
    checks = []
    for (const piece of carrier.split(change)) {
      const ending = await carryOutPiece(deps, carrier, piece)
      if (ending.status !== 'applied') return takeBack(deps, carrier, done, ending)
      steps.push(...ending.outcome.steps)
      checks.push(...ending.outcome.checks)
      done.push(piece)
    }
  }
  return appliedWith(checks, steps)
}

async function carryOutPiece<S>(deps: Deps, carrier: Carrier<S>, change: Change<S>): Promise<Ending> {
  try {
    const outcome = await carrier.apply(change)
    for (const step of outcome.steps) deps.note.operation(step)
    if (outcome.outcome !== 'applied') deps.note.operation(outcome.outcome)
    return endingOf(outcome)
  } catch (reason) {
    return isHelperAway(reason) ? inspect(deps, carrier, change, reason) : { status: 'refused', reason }
  }
}

const endingOf = (outcome: Outcome): Ending =>
  outcome.outcome === 'applied' ? { status: 'applied', outcome } : { status: outcome.outcome, outcome }

/** The answer was lost, so only the host itself can say how the change ended. */
async function inspect<S>(deps: Deps, carrier: Carrier<S>, change: Change<S>, reason: Refusal): Promise<Ending> {
  for (let tries = 1; tries <= RETRY.tries; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, RETRY.pause_ms))
    const ending = await nullIfHelperAway(lookAfter(carrier, change, reason))
    if (ending?.status === 'applied') deps.note.operation('the answer was lost, and the host holds what was requested')
    if (ending) return ending
  }
  return { status: 'unknown', reason }
}

async function lookAfter<S>(carrier: Carrier<S>, change: Change<S>, reason: Refusal): Promise<Ending> {
  const early = await carrier.verify(change)
  if (early.ok) return appliedWith(early.checks)
  await waitForEarlierChanges(carrier, change)
  const late = await carrier.verify(change)
  if (late.ok) return appliedWith(late.checks)
  if ((await carrier.verify(invert(change))).ok) return { status: 'refused', reason }
  return { status: 'unknown', reason }
}

const appliedWith = (checks: Check[], steps: string[] = []): Ending => ({
  status: 'applied',
  outcome: { outcome: 'applied', checks, steps, failure: null, remediation: [] },
})

/**
 * Root makes one change at a time, so a change that alters nothing is answered only after every one that was sent
 * before it.
 */
async function waitForEarlierChanges<S>(carrier: Carrier<S>, { before, after }: Change<S>): Promise<void> {
  const state = before ?? after
  try {
    await carrier.apply({ before: state, after: state })
  } catch (refused) {
    // A refusal is an answer too: the host does not hold that state.
    if (isHelperAway(refused)) throw refused
  }
}

/** The failure stands; where undoing the pieces before it fails as well, the host is stuck between the two states. */
async function takeBack<S>(
  deps: Deps,
  carrier: Carrier<S>,
  done: readonly Change<S>[],
  failed: Ending,
): Promise<Ending> {
  if (failed.status === 'unknown') return failed
  const steps: string[] = []
  for (const piece of [...done].reverse()) {
    const back = await carryOutPiece(deps, carrier, undoOf(carrier, piece))
    if (back.status === 'unknown') return back
    if (back.status !== 'applied') return { status: 'stuck', outcome: stuckBetween(failed, back, steps) }
    steps.push(...back.outcome.steps)
  }
  if (failed.status === 'refused') return failed
  return { ...failed, outcome: { ...failed.outcome, steps: [...failed.outcome.steps, ...steps] } }
}

type Failed = Exclude<Ending, { readonly status: 'unknown' }>

function stuckBetween(failed: Failed, back: Failed, steps: readonly string[]): Outcome {
  const text = message('root.undo_before_failed', { first: failureText(failed), second: failureText(back) }).message
  return {
    outcome: 'stuck',
    checks: 'outcome' in back ? back.outcome.checks : [],
    steps: [...steps, ...('outcome' in back ? back.outcome.steps : [])],
    failure: { step: '', message: text },
    remediation: [...('outcome' in back ? back.outcome.remediation : []), COMPARE],
  }
}

const COMPARE = message('root.compare').message

function failureText(failed: Failed): string {
  if ('outcome' in failed)
    return (failed.outcome.failure?.message ?? message('panel.reason_unknown').message).replace(/\.$/, '')
  return (failed.reason instanceof Error ? failed.reason.message : String(failed.reason)).replace(/\.$/, '')
}
