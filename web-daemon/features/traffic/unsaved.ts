// Traffic that is not saved yet: that of each interval, and the rules whose totals have changed.
import type { CommandContext } from '../../platform/context.ts'
import { intervalStart } from '../../platform/series/spans.ts'
import { deleteIntervalsBefore } from '../../platform/series/store.ts'
import { UnsavedIntervals } from '../../platform/series/unsaved.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { ConnectionCounter } from './connection-counter.ts'
import type { StoredTotal } from './accumulator.ts'
import { TRAFFIC_HISTORY, type Bucket } from './bucket.ts'
import { NOTHING, type TrafficDelta } from './delta.ts'
import { saveTraffic, storedIds } from './store.ts'

const DAY_S = 86_400
const DELETE_AT_ONCE = 5000

interface UnsavedDeps {
  readonly db: CommandContext['db']
  readonly now: () => Date
  readonly settings: SettingsReader
}

export class UnsavedTraffic {
  readonly #deps: UnsavedDeps
  readonly #connections: ConnectionCounter
  readonly #dirty = new Set<number>()
  readonly #buckets = new UnsavedIntervals(TRAFFIC_HISTORY)
  #saving: Promise<void> = Promise.resolve()

  constructor(deps: UnsavedDeps, connections: ConnectionCounter) {
    this.#deps = deps
    this.#connections = connections
  }

  /** The current length of an interval of the history. */
  get bucketSeconds(): number {
    return this.#deps.settings.get('routes.aggregate_interval_seconds')
  }

  add(route_rule_id: number, delta: TrafficDelta): void {
    this.touch(route_rule_id)
    this.#intoBucket(route_rule_id, delta, 0)
  }

  /** Marks a total to be saved with the next run, even if nothing was added. */
  touch(route_rule_id: number): void {
    this.#dirty.add(route_rule_id)
  }

  /** An interval without traffic is kept only if a connection started in it. */
  connect(route_rule_id: number, newConnections: number): void {
    if (newConnections > 0 || this.#buckets.has(this.#nowOf(route_rule_id)))
      this.#intoBucket(route_rule_id, NOTHING, newConnections)
  }

  of(route_rule_id: number): Bucket[] {
    return this.#buckets.all.filter((bucket) => bucket.route_rule_id === route_rule_id)
  }

  forget(route_rule_id: number): void {
    this.#dirty.delete(route_rule_id)
    this.#buckets.take((bucket) => bucket.route_rule_id === route_rule_id)
  }

  /** Runs are sequential. What cannot be written is tried again with the next run. */
  save(totalOf: (route_rule_id: number) => StoredTotal): Promise<void> {
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#save(totalOf))
    return this.#saving
  }

  async #save(totalOf: (route_rule_id: number) => StoredTotal): Promise<void> {
    const { db, now, settings } = this.#deps
    const stored = await storedIds(db, [...this.#dirty])
    const sums = new Map([...stored].map((id) => [id, totalOf(id)]))
    // What arrives during the write belongs to the next run.
    for (const id of stored) this.#dirty.delete(id)
    const buckets = this.#buckets.take(({ route_rule_id }) => stored.has(route_rule_id))
    try {
      await db.transaction().execute(async (transaction) => {
        await saveTraffic(transaction, sums, buckets, now().toISOString())
        const kept_seconds = settings.get('routes.history_retention_days') * DAY_S
        const since = Math.floor(now().getTime() / 1000) - kept_seconds
        await deleteIntervalsBefore(transaction, TRAFFIC_HISTORY, since, { most: DELETE_AT_ONCE })
      })
    } catch (failure) {
      for (const id of stored) this.#dirty.add(id)
      for (const bucket of buckets) this.#buckets.add(bucket)
      throw failure
    }
  }

  #intoBucket(route_rule_id: number, delta: TrafficDelta, newConnections: number): void {
    const active_connections = this.#connections.active(route_rule_id)
    const new_connections = this.#connections.newPerSecond(route_rule_id) === null ? null : newConnections
    this.#buckets.add({ ...this.#nowOf(route_rule_id), ...delta, active_connections, new_connections })
  }

  #nowOf(route_rule_id: number): Pick<Bucket, 'route_rule_id' | 'bucket_start'> {
    const now = Math.floor(this.#deps.now().getTime() / 1000)
    return { route_rule_id, bucket_start: intervalStart(now, this.bucketSeconds) }
  }
}
