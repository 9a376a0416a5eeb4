// Takes a reading every interval, keeps the newest, and sends each to the stream.
import type { Logger } from 'pino'
import type { MetricsPoint, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { serializeEvent, Topic, type StreamEvent, type StreamSource } from '../../platform/http/stream.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { Clock } from './clock.ts'
import { toPoint } from './history.ts'
import type { HostReading } from './host-reader.ts'
import { Ring } from './ring.ts'

/** The first reading comes this soon, however long the interval is. */
const FIRST_WITHIN_MS = 1000

export interface SamplerDeps {
  readonly settings: SettingsReader
  readonly clock: Clock
  readonly logger: Logger
  /** Reads everything, with rates over the seconds since the previous reading. */
  readonly read: (seconds: number) => Promise<HostReading>
  /** Makes the snapshot of a reading. */
  readonly complete: (reading: HostReading) => Promise<MetricsSnapshot>
}

/** A reading whose snapshot, and the event with that, are made at the first request for them. */
class Latest {
  readonly reading: HostReading
  /** In monotonic milliseconds. */
  readonly at: number
  readonly #complete: SamplerDeps['complete']
  #snapshot: Promise<MetricsSnapshot> | null = null
  /** Null before the first request. */
  event: StreamEvent | null = null

  constructor(reading: HostReading, at: number, complete: SamplerDeps['complete']) {
    this.reading = reading
    this.at = at
    this.#complete = complete
  }

  snapshot(): Promise<MetricsSnapshot> {
    return (this.#snapshot ??= this.#complete(this.reading))
  }

  async makeEvent(): Promise<StreamEvent> {
    const snapshot = await this.snapshot()
    return (this.event ??= serializeEvent('metrics', snapshot))
  }
}

export class Sampler {
  readonly #deps: SamplerDeps
  readonly #ring: Ring<MetricsPoint>
  #latest: Latest | null = null
  #startedAt = 0
  #readAt = 0
  #due = 0
  #cancelTimer: (() => void) | null = null
  #isReading = false
  #waiting: ((latest: Latest | null) => void)[] = []

  constructor(deps: SamplerDeps) {
    this.#deps = deps
    this.#ring = new Ring(deps.settings.get('metrics.history_points'))
  }

  readonly topic = new Topic(() => this.#latest?.event ?? null)

  /** Takes the reading that the first rates start from; it is not published. */
  async start(): Promise<void> {
    this.#startedAt = this.#readAt = this.#now
    await this.#deps.read(0)
    this.#due = this.#now + Math.min(this.#intervalMs, FIRST_WITHIN_MS)
    this.#schedule()
  }

  stop(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#resolveWaiting(null)
  }

  get isRunning(): boolean {
    return this.#cancelTimer !== null
  }

  get latest(): HostReading | null {
    return this.#latest?.reading ?? null
  }

  /** Age of the newest reading, or of the start if there is none yet. */
  get ageMs(): number {
    return this.#now - (this.#latest?.at ?? this.#startedAt)
  }

  get runningMs(): number {
    return this.#now - this.#startedAt
  }

  /** Waits for the first reading; null if none will come. */
  async current(): Promise<MetricsSnapshot | null> {
    if (!this.isRunning) return null
    const latest = this.#latest ?? (await new Promise<Latest | null>((resolve) => this.#waiting.push(resolve)))
    return latest?.snapshot() ?? null
  }

  /** Each subscriber first receives the newest reading, if there is one. */
  async stream(): Promise<StreamSource> {
    await this.#latest?.makeEvent()
    return this.topic.source
  }

  /** The newest `limit`, newest last, and how many there are. */
  history(limit: number): { points: MetricsPoint[]; total: number } {
    return { points: this.#ring.last(limit), total: this.#ring.length }
  }

  async take(): Promise<void> {
    const at = this.#now
    const seconds = (at - this.#readAt) / 1000
    this.#readAt = at
    const latest = new Latest(await this.#deps.read(seconds), at, this.#deps.complete)
    this.#latest = latest
    this.#ring.push(toPoint(latest.reading))
    this.#resolveWaiting(latest)
    if (this.topic.size === 0) return
    const event = await latest.makeEvent()
    this.topic.publish(() => event)
  }

  #resolveWaiting(latest: Latest | null): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve(latest)
  }

  get #now(): number {
    return this.#deps.clock.monotonic()
  }

  get #intervalMs(): number {
    return this.#deps.settings.get('metrics.sample_interval_seconds') * 1000
  }

  #schedule(): void {
    this.#cancelTimer = this.#deps.clock.after(Math.max(0, this.#due - this.#now), () => void this.#round())
  }

  /** The interval has changed: the next reading is due that long after the last one began. */
  reschedule(): void {
    if (!this.isRunning || this.#isReading) return
    this.#cancelTimer?.()
    this.#due = this.#readAt + (this.#latest ? this.#intervalMs : Math.min(this.#intervalMs, FIRST_WITHIN_MS))
    this.#schedule()
  }

  /** The number of readings to keep has changed. */
  resize(): void {
    this.#ring.resize(this.#deps.settings.get('metrics.history_points'))
  }

  /** Readings keep to their grid; those that a busy host missed are skipped. */
  async #round(): Promise<void> {
    this.#isReading = true
    await this.take().catch((err: unknown) => this.#deps.logger.error({ err }, 'the metrics could not be read'))
    this.#isReading = false
    if (!this.isRunning) return
    const late = Math.max(0, this.#now - this.#due)
    this.#due += this.#intervalMs * (1 + Math.floor(late / this.#intervalMs))
    this.#schedule()
  }
}
