// Writes the history of the tunnels to the store: at each interval a share of the tunnels in turn, and all of them at
// the end.
import type { Logger } from 'pino'
import type { StoreContext } from '../../platform/context.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { deleteIntervalsBefore } from '../../platform/series/store.ts'
import { HISTORY } from './bucket.ts'
import { addBuckets } from './store.ts'
import { deleteOldTicks } from './store-ticks.ts'
import type { WatchedTunnel } from './watched-tunnel.ts'

/** Probes of an interval are decided some time after its end; later ones are added to what is stored. */
const GRACE_S = 5
const DAY_S = 86_400
/** SQLite blocks the thread while it writes; other requests are served in between. */
const AT_ONCE = 200
/**
 * The rows of a tunnel are stored together, and writing a page costs the same for one row as for ten. So above this
 * many tunnels each waits for its turn, up to WAIT_MAX_S.
 */
const TUNNELS_AT_ONCE = 100
const WAIT_MAX_S = 600
const TURNS_MAX = 10
/** Usually little has expired; after the retention was shortened, the rest is deleted with the next runs. */
const DELETE_AT_ONCE = 500
const DELETES_MAX = 40

interface HistoryWriterDeps {
  readonly db: StoreContext['db']
  readonly now: () => Date
  readonly logger: Logger
  readonly watched: () => readonly WatchedTunnel[]
  readonly settings: SettingsReader
}

export class HistoryWriter {
  readonly #deps: HistoryWriterDeps
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #lastServed = 0
  #saving: Promise<void> = Promise.resolve()
  /** The error of the last run, or null. */
  failure: string | null = null

  constructor(deps: HistoryWriterDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#isRunning = true
    this.#schedule()
  }

  /** The interval setting may have changed. */
  reschedule(): void {
    if (this.#isRunning) this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const { now, settings } = this.#deps
    const interval_ms = settings.get('monitor.aggregate_interval_seconds') * 1000
    const left = interval_ms - (now().getTime() % interval_ms) + GRACE_S * 1000
    this.#timer = setTimeout(() => void this.save().then(() => this.#isRunning && this.#schedule()), left)
  }

  /** Also stores the current interval as far as it goes. */
  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    await this.save(Number.POSITIVE_INFINITY)
  }

  /** Runs are sequential. What cannot be written is tried again with the next run. */
  save(before_seconds = this.#deps.now().getTime() / 1000 - GRACE_S): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save(before_seconds))
    return this.#saving
  }

  async #save(before_seconds: number): Promise<void> {
    const { now, logger, settings } = this.#deps
    const at = now().getTime()
    const all = this.#deps.watched()
    const isLast = before_seconds >= at / 1000
    for (const one of all) one.note(at)
    const tunnels = isLast ? all : this.#nextTunnels(all, settings.get('monitor.aggregate_interval_seconds'))
    try {
      await this.#store(tunnels, before_seconds)
      const now_seconds = Math.floor(at / 1000)
      await this.#deleteOld(tunnels, now_seconds, settings.get('monitor.history_retention_days') * DAY_S)
      this.failure = null
    } catch (err) {
      this.failure = err instanceof Error ? err.message : String(err)
      logger.error({ err }, 'the history of the tunnels cannot be stored')
    }
  }

  /** The tunnels after the last that had their turn. */
  #nextTunnels(all: readonly WatchedTunnel[], interval_seconds: number): WatchedTunnel[] {
    const turns = Math.min(TURNS_MAX, Math.max(1, Math.floor(WAIT_MAX_S / interval_seconds)))
    const inOrder = [...all].sort((a, b) => a.plan.tunnel_id - b.plan.tunnel_id)
    const first = Math.max(
      0,
      inOrder.findIndex(({ plan }) => plan.tunnel_id > this.#lastServed),
    )
    const tunnels = [...inOrder.slice(first), ...inOrder.slice(0, first)].slice(
      0,
      Math.max(TUNNELS_AT_ONCE, Math.ceil(all.length / turns)),
    )
    this.#lastServed = tunnels.at(-1)?.plan.tunnel_id ?? 0
    return tunnels
  }

  async #store(tunnels: readonly WatchedTunnel[], before_seconds: number): Promise<void> {
    const waiting = tunnels.flatMap((watched) =>
      watched.takeBuckets(before_seconds).map((bucket) => ({ watched, bucket })),
    )
    try {
      while (waiting.length > 0) {
        await addBuckets(
          this.#deps.db,
          waiting.slice(0, AT_ONCE).map(({ bucket }) => bucket),
        )
        waiting.splice(0, AT_ONCE)
        await yieldToOthers()
      }
    } finally {
      for (const { watched, bucket } of waiting) watched.putBack(bucket)
    }
  }

  async #deleteOld(tunnels: readonly WatchedTunnel[], now_seconds: number, kept_seconds: number): Promise<void> {
    const tunnel_ids = tunnels.map(({ plan }) => plan.tunnel_id)
    const before_seconds = now_seconds - kept_seconds
    await deleteOldTicks(this.#deps.db, tunnel_ids, { now_seconds, kept_since: before_seconds })
    const some = { keys: tunnel_ids, most: DELETE_AT_ONCE }
    for (let deletes = 0; deletes < DELETES_MAX; deletes += 1) {
      if ((await deleteIntervalsBefore(this.#deps.db, HISTORY, before_seconds, some)) < DELETE_AT_ONCE) return
      await yieldToOthers()
    }
  }
}

const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
