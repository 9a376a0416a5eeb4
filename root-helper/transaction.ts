// The heart of root: probe, compare, plan, execute, read back; on any failure plan the way back from what is found.
// Generic in the state.
import { message } from '@panel/shared/messages/message.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { failedChecks, type Check } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { RefusedError } from './refused.ts'
import { messageOf, oneLine } from './text.ts'
import type { Journal, Subject } from './subject.ts'

/** The kernel may need a moment to settle before a failed check counts: tries, and milliseconds between them. */
const SETTLE = { tries: 5, pause_ms: 40 }

export interface Verification {
  readonly ok: boolean
  readonly checks: Check[]
}

interface Attempt {
  readonly steps: string[]
  readonly checks: Check[]
  readonly failure: Outcome['failure']
}

/** A transaction of whatever noun, as the journal knows it. */
export interface Undoable {
  readonly noun: string
  undo(change: Change<unknown>, why: string): Promise<Outcome>
}

export class Transaction<S, F extends { state: S | null }, Step extends { kind: string }> implements Undoable {
  readonly #subject: Subject<S, F, Step>
  readonly #journal: Journal

  constructor(subject: Subject<S, F, Step>, journal: Journal) {
    this.#subject = subject
    this.#journal = journal
  }

  /** Refuses unless the host holds `before`; then takes it to `after`, or back. */
  async apply(requested: Change<S>): Promise<Outcome> {
    const subject = this.#subject
    const canonical = { before: subject.canonical(requested.before), after: subject.canonical(requested.after) }
    const found = await subject.probe(canonical)
    if (!sameState(found.state, canonical.before)) throw this.#stale(canonical, found.state)
    const isKept = this.#journal.isKept()
    const change = (await subject.carry?.(canonical, isKept)) ?? canonical
    const steps = subject.plan(found.state, change.after)
    await subject.allow(change, found, steps)
    if (isKept) await this.#rehearse(change, found)
    await this.#journal.begin(subject.noun, change)
    const arrival = await this.#goTo(change, change.after, async () => steps)
    const outcome = arrival.failure ? await this.#putBack(change, arrival) : ended('applied', arrival)
    return outcome.outcome === 'stuck' ? outcome : this.#close(change, arrival, outcome)
  }

  /** A change whose journal cannot be removed would be undone by the next helper, so it is undone now. */
  async #close(change: Change<S>, arrival: Attempt, outcome: Outcome): Promise<Outcome> {
    try {
      await this.#journal.end(outcome.outcome === 'applied')
      return outcome
    } catch (error) {
      const failure = outcome.failure ?? { step: '', message: oneLine(messageOf(error)) }
      return outcome.outcome === 'restored' ? outcome : this.#putBack(change, { ...arrival, failure })
    }
  }

  async #rehearse(change: Change<S>, found: F): Promise<void> {
    try {
      await this.#subject.rehearse(change, found)
    } catch (error) {
      throw new RefusedError('irreversible', message('root.no_way_back', { why: oneLine(messageOf(error)) }))
    }
  }

  get noun(): string {
    return this.#subject.noun
  }

  /** The checks of `after` against what the host holds now. */
  async verify(requested: Change<S>): Promise<Verification> {
    const subject = this.#subject
    const after = subject.canonical(requested.after)
    const checks = subject.check(requested, after, (await subject.probe(requested)).state)
    return { ok: failedChecks(checks).length === 0, checks }
  }

  /** Takes the host to `before` of a change that a helper was stopped in. It is what the journal of this noun holds. */
  async undo({ before, after }: Change<unknown>, why: string): Promise<Outcome> {
    const change = { before: before as S | null, after: after as S | null }
    const outcome = await this.#putBack(change, { steps: [], checks: [], failure: { step: '', message: why } })
    if (outcome.outcome !== 'stuck') await this.#journal.end(false)
    return outcome
  }

  /** Plans from what is found now, so nothing has to record how far the change got. */
  async #putBack(change: Change<S>, { steps, checks, failure }: Attempt): Promise<Outcome> {
    const subject = this.#subject
    const back = await this.#goTo(change, change.before, async () => {
      await subject.recall?.(change)
      return subject.plan((await subject.probe(change)).state, change.before)
    })
    const all = { steps: [...steps, ...back.steps], checks, failure }
    if (!back.failure) return ended('restored', all)
    const text = oneLine(
      message('root.undo_failed', { first: failure?.message ?? '', second: back.failure.message }).message,
    )
    return {
      ...ended('stuck', { ...all, failure: { step: failure?.step ?? '', message: text } }),
      remediation: subject.remedy(change),
    }
  }

  async #goTo(change: Change<S>, wanted: S | null, plan: () => Promise<readonly Step[]>): Promise<Attempt> {
    const first = await this.#attempt(change, wanted, plan)
    if (!first.failure) return first
    const failed = { steps_done: first.steps, failed_step: first.failure.step }
    const other = await this.#subject.otherWay?.(change, wanted, failed)
    if (!other) return first
    const second = await this.#attempt(change, other.wanted, async () => other.steps)
    return { ...second, steps: [...first.steps, ...second.steps] }
  }

  /** Executes a plan, and trusts only what is read back. */
  async #attempt(change: Change<S>, wanted: S | null, plan: () => Promise<readonly Step[]>): Promise<Attempt> {
    const steps: string[] = []
    let step = ''
    try {
      const planned = await plan()
      for (const next of planned) {
        step = next.kind
        await this.#subject.execute(next)
        steps.push(step)
      }
      step = ''
      const checks = await this.#settle(change, wanted)
      const failure = failureIn(checks)
      if (!failure) await this.#subject.arrived?.(planned)
      return { steps, checks, failure }
    } catch (error) {
      return { steps, checks: [], failure: { step, message: oneLine(messageOf(error)) } }
    }
  }

  async #settle(change: Change<S>, wanted: S | null): Promise<Check[]> {
    for (let tries = 1; ; tries += 1) {
      const checks = this.#subject.check(change, wanted, (await this.#subject.probe(change)).state)
      if (failedChecks(checks).length === 0 || tries === SETTLE.tries) return checks
      await new Promise((resolve) => setTimeout(resolve, SETTLE.pause_ms))
    }
  }

  #stale(change: Change<S>, found: S | null): RefusedError {
    const differences = failedChecks(this.#subject.check(change, change.before, found)).map((check) => check.detail)
    return new RefusedError('stale_state', message('root.stale', { why: oneLine(differences.join('; ')) }))
  }
}

const ended = (outcome: Outcome['outcome'], { steps, checks, failure }: Attempt): Outcome => ({
  outcome,
  steps,
  checks,
  failure,
  remediation: [],
})

function failureIn(checks: readonly Check[]): Outcome['failure'] {
  const details = failedChecks(checks).map((check) => check.detail)
  return details.length === 0 ? null : { step: '', message: oneLine(details.join('; ')) }
}
