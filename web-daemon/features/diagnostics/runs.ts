// The runs that are under way: one of a tunnel and four of the host at a time, each stored as it begins and again as it ends (decisions.md, D10, D11).
import type { DiagnosticRun } from '@panel/shared/api/diagnostics.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Streamer } from '../../platform/helper/streams.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { thisHost, type Host } from '../metrics/host.ts'
import { endForgottenRuns, endRun, findRun, forgetOldRuns, insertRun, type Ended, type NewRun } from './store.ts'

const AT_ONCE = 4

export interface RunsParts {
  readonly db: CommandContext['db']
  readonly stream: Streamer
  readonly now: () => Date
  readonly host?: Host
}

type Begun = Pick<NewRun, 'tunnel_id' | 'type' | 'params'>
export type Outcome = Pick<Ended, 'result' | 'is_success'>

export interface Run {
  /** As it was stored at its beginning. */
  readonly begun: DiagnosticRun
  readonly stream: Streamer
  /** Aborted when the run shall end, by DELETE or because its client has gone: its outcome so far is stored then. */
  readonly signal: AbortSignal
  /** Stores what the work comes to, or that it failed, and gives back the run as it ended. Once. */
  readonly carryOut: (work: () => Promise<Outcome>) => Promise<DiagnosticRun>
}

interface Place {
  readonly tunnel_id: number
  readonly aborting: AbortController
  readonly ended: Promise<void>
  id: number | null
}

export class Runs {
  /** What an analysis reads of this server by itself. */
  readonly host: Host
  readonly #parts: RunsParts
  readonly #places = new Set<Place>()
  #tidied: Promise<void> | null = null

  constructor(parts: RunsParts) {
    this.#parts = parts
    this.host = parts.host ?? thisHost
  }

  /** Before anything is read or written: what an earlier panel left unended is none that runs. */
  tidied(): Promise<void> {
    this.#tidied ??= endForgottenRuns(this.#parts.db, this.#parts.now().toISOString()).catch((failure: unknown) => {
      // A store that was locked or full for a moment is tried again with the next request.
      this.#tidied = null
      throw failure
    })
    return this.#tidied
  }

  /** Throws 429 where there is no place. Whoever begins a run carries it out; it ends early when its client has `gone`. */
  async begin({ tunnel_id, type, params }: Begun, gone: AbortSignal): Promise<Run> {
    await this.tidied()
    const { place, leave } = this.#take(tunnel_id)
    if (gone.aborted) place.aborting.abort()
    else gone.addEventListener('abort', () => place.aborting.abort(), { once: true })
    try {
      const { db, now, stream } = this.#parts
      const id = await insertRun(db, { tunnel_id, type, params, started_date: now().toISOString() })
      place.id = id
      await forgetOldRuns(db, tunnel_id)
      const begun = await this.#found(id)
      const carryOut: Run['carryOut'] = (work) => this.#carryOut(id, place, work).finally(leave)
      return { begun, stream, signal: place.aborting.signal, carryOut }
    } catch (failure) {
      leave()
      throw failure
    }
  }

  /** Resolves once it has ended; false where it was not running. */
  async cancel(diagnostic_run_id: number): Promise<boolean> {
    const place = [...this.#places].find(({ id }) => id === diagnostic_run_id)
    if (!place) return false
    place.aborting.abort()
    await place.ended
    return true
  }

  /** For the end of the panel. */
  async stop(): Promise<void> {
    const places = [...this.#places]
    for (const { aborting } of places) aborting.abort()
    await Promise.all(places.map(({ ended }) => ended))
  }

  #take(tunnel_id: number): { place: Place; leave: () => void } {
    const own = [...this.#places].find((place) => place.tunnel_id === tunnel_id)
    if (own)
      throw full(
        `Run ${own.id ?? ''} of this tunnel is under way already. Wait for its end, or stop it: DELETE /diagnostics/runs/${own.id ?? '{id}'}.`,
        own.id,
      )
    if (this.#places.size >= AT_ONCE)
      throw full(`${AT_ONCE} runs of other tunnels are under way already. Try again when one has ended.`, null)
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => (end = resolve))
    const place: Place = { tunnel_id, aborting: new AbortController(), ended, id: null }
    this.#places.add(place)
    const leave = (): void => {
      this.#places.delete(place)
      end()
    }
    return { place, leave }
  }

  async #carryOut(id: number, { aborting }: Place, work: () => Promise<Outcome>): Promise<DiagnosticRun> {
    const { db, now } = this.#parts
    const end = (outcome: Outcome): Promise<void> => endRun(db, id, { ...outcome, finished_date: now().toISOString() })
    try {
      await end(await work())
    } catch (failure) {
      const told = aborting.signal.aborted && !(failure instanceof Refusal) ? stopped() : failure
      const detail = told instanceof Refusal ? told.message : 'An unforeseen failure ended the run'
      await end({ result: { cancelled: aborting.signal.aborted, detail }, is_success: false })
      throw told
    }
    return this.#found(id)
  }

  async #found(id: number): Promise<DiagnosticRun> {
    const run = await findRun(this.#parts.db, id)
    if (!run) throw new Error(`Run ${id} is not stored`)
    return run
  }
}

const stopped = (): Refusal => new Refusal('CONFLICT', 'The run was stopped before it had come to anything.')

const full = (message: string, running: number | null): Refusal =>
  new Refusal('RATE_LIMITED', message, {
    details: { retry_after_seconds: 3, running_diagnostic_run_id: running },
    headers: { 'Retry-After': '3' },
  })
