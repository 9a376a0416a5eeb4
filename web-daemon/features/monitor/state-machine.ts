// The state of one tunnel over time. It changes when several samples in a row agree, or at once if it is forced
// (decisions.md, S3).
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Verdict } from './classify.ts'

/** `from` and `to` are the same if only the reason changes. */
export interface StateChange {
  readonly from: MonitorState
  readonly to: MonitorState
  readonly reason: Message
}

const UNMEASURED = message('monitor.unmeasured')

export class MonitorStateMachine {
  #current: Verdict
  /** When the state began, in milliseconds. */
  #since: number
  #isForced = false
  #candidate: MonitorState | null = null
  #agreeing = 0

  constructor(at: number) {
    this.#current = { state: 'Unknown', reason: UNMEASURED }
    this.#since = at
  }

  get state(): MonitorState {
    return this.#current.state
  }

  get reason(): Message {
    return this.#current.reason
  }

  get since(): number {
    return this.#since
  }

  get isForced(): boolean {
    return this.#isForced
  }

  /** Sets a state that holds whatever the probes say. */
  force(verdict: Verdict, at: number): StateChange | null {
    this.#isForced = true
    this.#resetSamples()
    return this.#changeTo(verdict, at)
  }

  /**
   * Lets the probes decide again. A tunnel that was down stays down until they decide otherwise; any other becomes
   * unknown.
   */
  release(at: number): StateChange | null {
    if (!this.#isForced) return null
    this.#isForced = false
    this.#resetSamples()
    return this.#changeTo(
      this.state === 'Down'
        ? { state: 'Down', reason: message('monitor.probed_again') }
        : { state: 'Unknown', reason: UNMEASURED },
      at,
    )
  }

  /** Adds a sample. An unknown verdict does not change the state. */
  sample(verdict: Verdict, agreeing_samples: number, at: number): StateChange | null {
    if (this.#isForced) return null
    if (verdict.state === this.state) {
      this.#resetSamples()
      this.#current = verdict
      return null
    }
    if (verdict.state === 'Unknown') return null
    this.#agreeing = this.#candidate === verdict.state ? this.#agreeing + 1 : 1
    this.#candidate = verdict.state
    return this.#agreeing < agreeing_samples ? null : this.#changeTo(verdict, at)
  }

  #resetSamples(): void {
    this.#candidate = null
    this.#agreeing = 0
  }

  #changeTo(verdict: Verdict, at: number): StateChange | null {
    const before = this.#current
    this.#current = verdict
    if (before.state === verdict.state)
      return before.reason.message === verdict.reason.message
        ? null
        : { from: before.state, to: verdict.state, reason: verdict.reason }
    this.#since = at
    this.#resetSamples()
    return { from: before.state, to: verdict.state, reason: verdict.reason }
  }
}
