// Brings the history of all tunnels to the store: once an interval, in one transaction, and at the end.
import type { Logger } from 'pino'
import type { CommandContext } from '../context.ts'
import type { SettingsReader } from '../settings/reader.ts'
import type { Bucket } from './bucket.ts'
import { addBuckets, deleteBucketsBefore } from './store.ts'
import type { Watched } from './watched.ts'

/** Probes of an interval are decided some time after its end; what comes later yet is added to what is stored. */
const GRACE_S = 5
const DAY_S = 86_400
/** SQLite holds the thread while it writes: other requests have their turn in between. */
const AT_ONCE = 200

interface Parts {
  readonly db: CommandContext['db']
  readonly now: () => Date
  readonly logger: Logger
  readonly watched: () => readonly Watched[]
  readonly settings: SettingsReader
}

export class Ledger {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #saving: Promise<void> = Promise.resolve()
  /** Why the last time failed, or null. */
  failure: string | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#isRunning = true
    this.#schedule()
  }

  /** The length of the intervals may be another one. */
  reschedule(): void {
    if (this.#isRunning) this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    const { now, settings } = this.#parts
    const interval_ms = settings.get('monitor.aggregate_interval_seconds') * 1000
    const left = interval_ms - (now().getTime() % interval_ms) + GRACE_S * 1000
    this.#timer = setTimeout(() => void this.save().then(() => this.#isRunning && this.#schedule()), left)
  }

  /** The interval that is not over is stored too, as far as it goes. */
  async stop(): Promise<void> {
    this.#isRunning = false
    clearTimeout(this.#timer)
    await this.save(Number.POSITIVE_INFINITY)
  }

  /** One after the other. What cannot be written is tried again with the next. */
  save(before_seconds = this.#parts.now().getTime() / 1000 - GRACE_S): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save(before_seconds))
    return this.#saving
  }

  async #save(before_seconds: number): Promise<void> {
    const { db, now, logger, settings } = this.#parts
    const at = now().getTime()
    const watched = new Map(this.#parts.watched().map((one) => [one.plan.tunnel_id, one]))
    const buckets: Bucket[] = []
    for (const one of watched.values()) {
      buckets.push(...one.takeBuckets(before_seconds))
      if (before_seconds < at / 1000) one.note(at)
    }
    try {
      await db.transaction().execute(async (transaction) => {
        for (let i = 0; i < buckets.length; i += AT_ONCE) {
          await addBuckets(transaction, buckets.slice(i, i + AT_ONCE))
          await new Promise((resolve) => setImmediate(resolve))
        }
        await deleteBucketsBefore(transaction, [...watched.keys()], Math.floor(at / 1000) - settings.get('monitor.history_retention_days') * DAY_S)
      })
      this.failure = null
    } catch (err) {
      for (const bucket of buckets) watched.get(bucket.tunnel_id)?.putBack(bucket)
      this.failure = err instanceof Error ? err.message : String(err)
      logger.error({ err }, 'the history of the tunnels cannot be stored')
    }
  }
}
