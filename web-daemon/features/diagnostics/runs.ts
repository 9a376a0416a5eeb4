// The active runs: one per tunnel and four per host. Each is stored when it starts and when it ends (decisions.md, D10,
// D11).
import type { DiagnosticRun } from '@panel/shared/api/diagnostics.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Streamer } from '../../platform/helper/streams.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { thisHost, type Host } from '../metrics/host.ts'
import { endInterruptedRuns, endRun, findRun, deleteOldRuns, insertRun, type RunEnd, type NewRun } from './store.ts'

const AT_ONCE = 4

export interface RunsDeps {
  readonly db: StoreContext['db']
  readonly stream: Streamer
  readonly now: () => Date
  readonly host?: Host
}

type RunStart = Pick<NewRun, 'tunnel_id' | 'type' | 'params'>
export type RunOutcome = Pick<RunEnd, 'result' | 'is_success'>

export interface Run {
  /** The run that was stored at its start. */
  readonly started: DiagnosticRun
  readonly stream: Streamer
  /** Aborted by DELETE or when the client disconnects: the result so far is stored then. */
  readonly signal: AbortSignal
  /** Runs the work once, stores its result or its failure, and returns the run as it ended. */
  readonly execute: (work: () => Promise<RunOutcome>) => Promise<DiagnosticRun>
}

interface RunSlot {
  readonly tunnel_id: number
  readonly aborting: AbortController
  readonly done: Promise<void>
  id: number | null
}

export class Runs {
  /** What an analysis reads of this host without the root helper. */
  readonly host: Host
  readonly #deps: RunsDeps
  readonly #slots = new Set<RunSlot>()
  #ready: Promise<void> | null = null

  constructor(deps: RunsDeps) {
    this.#deps = deps
    this.host = deps.host ?? thisHost
  }

  /** Call it before runs are read or written: it ends the runs that a killed panel left open. */
  ready(): Promise<void> {
    this.#ready ??= endInterruptedRuns(this.#deps.db, this.#deps.now().toISOString()).catch((failure: unknown) => {
      // If the store was locked or full, the next request tries again.
      this.#ready = null
      throw failure
    })
    return this.#ready
  }

  /** Throws 429 if no slot is free. The caller executes the run; it is aborted when `gone` is. */
  async begin({ tunnel_id, type, params }: RunStart, gone: AbortSignal): Promise<Run> {
    await this.ready()
    const { slot, leave } = this.#takeSlot(tunnel_id)
    if (gone.aborted) slot.aborting.abort()
    else gone.addEventListener('abort', () => slot.aborting.abort(), { once: true })
    try {
      const { db, now, stream } = this.#deps
      const id = await insertRun(db, { tunnel_id, type, params, started_date: now().toISOString() })
      slot.id = id
      await deleteOldRuns(db, tunnel_id)
      const started = await this.#stored(id)
      const execute: Run['execute'] = (work) => this.#execute(id, slot, work).finally(leave)
      return { started, stream, signal: slot.aborting.signal, execute }
    } catch (failure) {
      leave()
      throw failure
    }
  }

  /** Resolves when it has ended; false if it was not running. */
  async cancel(diagnostic_run_id: number): Promise<boolean> {
    const slot = [...this.#slots].find(({ id }) => id === diagnostic_run_id)
    if (!slot) return false
    slot.aborting.abort()
    await slot.done
    return true
  }

  /** Aborts all runs when the panel stops. */
  async stop(): Promise<void> {
    const slots = [...this.#slots]
    for (const { aborting } of slots) aborting.abort()
    await Promise.all(slots.map(({ done }) => done))
  }

  #takeSlot(tunnel_id: number): { slot: RunSlot; leave: () => void } {
    const running = [...this.#slots].find((slot) => slot.tunnel_id === tunnel_id)
    if (running) throw full(message('diagnostics.run_under_way', { run: running.id ?? '' }), running.id)
    if (this.#slots.size >= AT_ONCE) throw full(message('diagnostics.runs_elsewhere', { count: AT_ONCE }), null)
    let end = (): void => undefined
    const done = new Promise<void>((resolve) => (end = resolve))
    const slot: RunSlot = { tunnel_id, aborting: new AbortController(), done, id: null }
    this.#slots.add(slot)
    const leave = (): void => {
      this.#slots.delete(slot)
      end()
    }
    return { slot, leave }
  }

  async #execute(id: number, { aborting }: RunSlot, work: () => Promise<RunOutcome>): Promise<DiagnosticRun> {
    const { db, now } = this.#deps
    const end = (outcome: RunOutcome): Promise<void> =>
      endRun(db, id, { ...outcome, finished_date: now().toISOString() })
    try {
      await end(await work())
    } catch (failure) {
      const reported = aborting.signal.aborted && !(failure instanceof Refusal) ? stopped() : failure
      const sentence = reported instanceof Refusal ? asMessage(reported) : message('diagnostics.unforeseen')
      await end({
        result: { cancelled: aborting.signal.aborted, ...messageFields('detail', sentence) },
        is_success: false,
      })
      throw reported
    }
    return this.#stored(id)
  }

  async #stored(id: number): Promise<DiagnosticRun> {
    const run = await findRun(this.#deps.db, id)
    if (!run) throw new Error(`Run ${id} is not stored`)
    return run
  }
}

const stopped = (): Refusal => new Refusal('CONFLICT', message('diagnostics.stopped'))

const full = (why: Message, running: number | null): Refusal =>
  new Refusal('RATE_LIMITED', why, {
    details: { retry_after_seconds: 3, running_diagnostic_run_id: running },
    headers: { 'Retry-After': '3' },
  })
