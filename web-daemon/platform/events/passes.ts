// Schedules passes over the whole host: at the start, soon after a change, and periodically; never two at once.
import type { Logger } from 'pino'
import type { PassReason } from '@panel/shared/api/reconcile.ts'

export type Pass = (because: PassReason) => Promise<void>

export interface PassTimes {
  /** A pass waits until nothing has changed for this long, */
  readonly quiet_ms: number
  /** but no longer than this after the first change that it is for. */
  readonly latest_ms: number
  /** The time from the end of one pass to the next if nothing changes; read again each time. */
  readonly period_ms: () => number
}

/** What time a pass goes by; `after` gives what calls it off. */
export interface PassClock {
  readonly now: () => number
  readonly after: (ms: number, what: () => void) => () => void
}

const CLOCK: PassClock = {
  now: () => performance.now(),
  after: (ms, what) => {
    const timer = setTimeout(what, ms)
    return () => clearTimeout(timer)
  },
}
const nothing = (): void => undefined

export const SOON = { quiet_ms: 300, latest_ms: 1200 } as const

export class Passes {
  readonly #pass: Pass
  readonly #times: PassTimes
  readonly #logger: Logger
  readonly #clock: PassClock
  /** When the last pass ended. */
  #ended = 0
  /** Each calls off what was to come. */
  #soon = nothing
  #period: (() => void) | null = null
  #due = nothing
  /** Why the next pass was requested, and when. */
  #requested: { readonly because: PassReason; readonly since: number } | null = null
  #running: Promise<void> | null = null
  #isOvertaken = false
  #isClosed = false

  constructor(pass: Pass, times: PassTimes, logger: Logger, clock = CLOCK) {
    this.#pass = pass
    this.#times = times
    this.#logger = logger
    this.#clock = clock
  }

  start(): void {
    this.#run('start')
  }

  /** Something has changed. A running pass may have read it before the change, so another pass follows. */
  request(because: 'event' | 'change', when: 'soon' | 'now' = 'soon'): void {
    if (this.#isClosed) return
    const now = this.#clock.now()
    this.#requested ??= { because, since: now }
    this.#soon()
    const left = this.#requested.since + this.#times.latest_ms - now
    const wait_ms = when === 'now' ? 0 : Math.max(0, Math.min(this.#times.quiet_ms, left))
    this.#soon = this.#clock.after(wait_ms, () => this.#run(because))
  }

  /** A pass that is not later than this; null where the period will do. */
  dueIn(wait_ms: number | null): void {
    this.#due()
    if (wait_ms === null || this.#isClosed) return
    this.#due = this.#clock.after(wait_ms, () => this.#run('period'))
  }

  /** The period has changed: the next pass is scheduled again, counted from the end of the last one. */
  retime(): void {
    if (this.#isClosed || this.#running || this.#period === null) return
    this.#period()
    this.#scheduleNext()
  }

  /** Resolves when no pass is running and none will follow. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#soon()
    this.#period?.()
    this.#due()
    await this.#running
  }

  /** A pass that falls due while one is running follows right after it. */
  #run(because: PassReason): void {
    if (this.#running) {
      this.#isOvertaken = true
      return
    }
    const reason = this.#requested?.because ?? because
    this.#requested = null
    this.#isOvertaken = false
    this.#soon()
    this.#period?.()
    this.#running = this.#once(reason).then(() => this.#next())
  }

  #next(): void {
    this.#running = null
    this.#ended = this.#clock.now()
    if (this.#isClosed) return
    if (this.#isOvertaken) this.#run('event')
    else this.#scheduleNext()
  }

  #scheduleNext(): void {
    const waited = this.#clock.now() - this.#ended
    this.#period = this.#clock.after(Math.max(0, this.#times.period_ms() - waited), () => this.#run('period'))
  }

  async #once(because: PassReason): Promise<void> {
    try {
      await this.#pass(because)
    } catch (err) {
      this.#logger.error({ err, because }, 'a pass over the host failed')
    }
  }
}
