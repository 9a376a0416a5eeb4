// The traffic of rules: samples the kernel's counters, sums them up even if they are recreated, and keeps the traffic
// of each interval.
import { fromRoot, message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import type { Logger } from 'pino'
import type { Publish } from '../../platform/events/bus.ts'
import type { CommandContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import type { SettingKey } from '../settings/definitions.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { TRAFFIC_POINTS } from '@panel/shared/api/queries.ts'
import type { Bucket } from './bucket.ts'
import { ConnectionCounter } from './connection-counter.ts'
import { readKernelCounters } from './kernel-counters.ts'
import { TrafficEvidence } from './evidence.ts'
import { isNothing, NOTHING, deltaOnly, perSecond, plus, type TrafficDelta } from './delta.ts'
import { allTotals } from './store.ts'
import { UnsavedTraffic } from './unsaved.ts'
import { accumulatorFor, CounterAccumulator } from './accumulator.ts'

/** A crash of the daemon loses nothing, since the kernel keeps counting; so saving at intervals is enough. */
const SAVE_EVERY_MS = 10_000
/** Reading the counters of ten thousand rules takes root some 150 ms, and samples of them come every 10 s. */
const APART_MS_PER_RULE = 1

interface TrafficDeps {
  readonly db: CommandContext['db']
  readonly request: CommandContext['request']
  readonly now: () => Date
  /** In milliseconds. Intervals are measured by it, since the clock of the day can be set. */
  readonly monotonic: () => number
  readonly settings: SettingsReader
  readonly logger: Logger
  readonly publish: Publish
}

interface Moment {
  readonly date: number
  readonly monotonic: number
}

/** One sample; rules without traffic are not in `deltas`. `seconds` null: it is the first. */
interface Sample {
  readonly at: number
  readonly seconds: number | null
  readonly deltas: ReadonlyMap<number, TrafficDelta>
}

interface Available {
  readonly is_readable: boolean
  /** Why the counters cannot be read. */
  readonly detail: Message
}

export class Traffic {
  readonly #deps: TrafficDeps
  #accumulators: Promise<Map<number, CounterAccumulator>> | null = null
  #samples: Sample[] = []
  #available: Available = { is_readable: false, detail: message('note.counters_unread') }
  #missing: Message = verbatim('')
  #reading: Promise<boolean> | null = null
  #readAt: Moment | null = null
  #sampledAt: number | null = null
  #sampling: Promise<void> | null = null
  readonly #connections = new ConnectionCounter()
  readonly evidence = new TrafficEvidence()
  readonly #unsaved: UnsavedTraffic
  /** The last reading that was summed up; undefined where the next one has to be of all counters. */
  #revision: string | undefined
  /** What each rule relayed since the last sample. */
  #sinceSample = new Map<number, TrafficDelta>()
  /** The rules that the kernel has counters of. */
  readonly #counted = new Set<number>()
  #changing = 0
  /** Incremented by every change of the ruleset: a sample that was requested before is discarded. */
  #generation = 0
  readonly #timers = new Map<string, NodeJS.Timeout>()

  constructor(deps: TrafficDeps) {
    this.#deps = deps
    this.#unsaved = new UnsavedTraffic(deps, this.#connections)
  }

  /** Samples and saves from now on, until `stop`. */
  start(): void {
    this.#every('saving', SAVE_EVERY_MS, () => this.save(), 'the traffic of the rules was not saved')
    this.#startTimers()
  }

  /** Restarts the timers whose interval has changed. */
  onSettingsChanged(changed: readonly SettingKey[]): void {
    if (
      this.#timers.size > 0 &&
      (changed.includes('routes.counter_interval_seconds') || changed.includes('routes.conntrack_interval_seconds'))
    )
      this.#startTimers()
  }

  #startTimers(): void {
    this.#every('sampling', this.#sampleMs, () => this.sampleWhenDue(), 'the counters of the rules were not read')
    this.#every(
      'counting',
      this.#deps.settings.get('routes.conntrack_interval_seconds') * 1000,
      () => this.count(),
      'the connections of the rules were not counted',
    )
  }

  #every(name: string, ms: number, work: () => Promise<void>, failure: string): void {
    clearInterval(this.#timers.get(name))
    this.#timers.set(
      name,
      setInterval(() => void work().catch((err: unknown) => this.#deps.logger.error({ err }, failure)), ms),
    )
  }

  get #sampleMs(): number {
    return this.#deps.settings.get('routes.counter_interval_seconds') * 1000
  }

  /** The current length of an interval of the history. */
  get bucketSeconds(): number {
    return this.#unsaved.bucketSeconds
  }

  /** Takes a last sample and saves it. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) clearInterval(timer)
    this.#timers.clear()
    await this.sample().catch((err: unknown) =>
      this.#deps.logger.error({ err }, 'the counters of the rules were not read'),
    )
    await this.save()
  }

  /** What is missing from the totals; empty where nothing is. */
  get missing(): Message {
    return this.#missing
  }

  get available(): Available {
    return this.#available
  }

  /**
   * Reads the counters into the totals; false if they could not be read. Concurrent callers share one reading. It ends
   * no interval, so rates and points stay the same.
   */
  read(): Promise<boolean> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null))
    return this.#reading
  }

  /** Ends an interval: rates and points are of the time between two samples, which the timer takes. */
  sample(): Promise<void> {
    this.#sampling ??= this.#sample().finally(() => (this.#sampling = null))
    return this.#sampling
  }

  /** Leaves samples out where there are so many rules that reading their counters takes long. */
  async sampleWhenDue(): Promise<void> {
    const [apart_ms, last] = [this.#counted.size * APART_MS_PER_RULE, this.#sampledAt]
    if (apart_ms <= this.#sampleMs || last === null || this.#deps.monotonic() - last >= apart_ms) await this.sample()
  }

  /** Counts the connections of each rule, and the new ones since the last count. */
  async count(): Promise<void> {
    const flows = await nullIfHelperAway(this.#deps.request('ruleset.flows', {}))
    const newConnections = this.#connections.take(flows, this.#deps.monotonic())
    this.#publish(this.evidence.count(flows))
    for (const { route_rule_id } of flows?.flows ?? [])
      this.#unsaved.connect(route_rule_id, newConnections?.get(route_rule_id) ?? 0)
  }

  /** The connections of the last count; null if not known. */
  connections(route_rule_id: number): number | null {
    return this.#connections.active(route_rule_id)
  }

  /** The counts of every rule that had any, and how long ago that was; null if not known. */
  lastCount(): { readonly totals: ReadonlyMap<number, number>; readonly age_ms: number } | null {
    return this.#connections.last(this.#deps.monotonic())
  }

  /** Rules that had traffic in the last interval, or have connections. */
  active(): number[] {
    return [...new Set([...(this.#samples.at(-1)?.deltas.keys() ?? []), ...(this.lastCount()?.totals.keys() ?? [])])]
  }

  newConnectionsPerSecond(route_rule_id: number): number | null {
    return this.#connections.newPerSecond(route_rule_id)
  }

  /** Reads unless the last reading is younger than the interval. */
  async upToDate(): Promise<void> {
    const last = this.#readAt
    if (last === null || !this.#available.is_readable || this.#deps.monotonic() - last.monotonic >= this.#sampleMs)
      await this.read()
  }

  /** When the counters were read last. */
  get lastAt(): number | null {
    return this.#readAt?.date ?? null
  }

  /** The length of the interval that the rates are of. */
  get lastSeconds(): number | null {
    return this.#samples.at(-1)?.seconds ?? null
  }

  async of(route_rule_id: number): Promise<CounterAccumulator> {
    return (await this.#getAccumulators()).get(route_rule_id) ?? new CounterAccumulator()
  }

  /** What a rule relays in a second; null before it was counted, or where there is no interval yet. */
  async rate(route_rule_id: number): Promise<TrafficDelta | null> {
    const last = this.#samples.at(-1)
    if (!last || last.seconds === null || !(await this.#getAccumulators()).has(route_rule_id)) return null
    return perSecond(last.deltas.get(route_rule_id) ?? NOTHING, last.seconds)
  }

  /** The totals of every rule that was ever read, deleted ones included. */
  totals(): Promise<ReadonlyMap<number, Pick<CounterAccumulator, 'total'>>> {
    return this.#getAccumulators()
  }

  /** For a rule whose creation failed: another rule may get its id. */
  async forget(route_rule_id: number): Promise<void> {
    const accumulators = await this.#getAccumulators()
    accumulators.delete(route_rule_id)
    this.#sinceSample.delete(route_rule_id)
    this.#unsaved.forget(route_rule_id)
  }

  /** The traffic of each of the last intervals, oldest first. */
  points(route_rule_id: number, count: number): { at: number; seconds: number; delta: TrafficDelta }[] {
    return this.#samples
      .flatMap(({ at, seconds, deltas }) =>
        seconds === null ? [] : [{ at, seconds, delta: deltas.get(route_rule_id) ?? NOTHING }],
      )
      .slice(-count)
  }

  /** Intervals that are not saved yet. */
  unsaved(route_rule_id: number): Bucket[] {
    return this.#unsaved.of(route_rule_id)
  }

  /**
   * Wraps a change of the ruleset, which removes counters and returns their last values. Samples taken meanwhile are
   * discarded.
   */
  async whileChanging<T>(work: (counted: (last: readonly RelayCounters[]) => void) => Promise<T>): Promise<T> {
    const accumulators = await this.#getAccumulators()
    this.#changing += 1
    const lastCounters: RelayCounters[] = []
    try {
      return await work((last) => {
        for (const counters of last) {
          const { route_rule_id } = counters
          const accumulator = accumulatorFor(accumulators, route_rule_id)
          this.#add(route_rule_id, accumulator.readLast(deltaOnly(counters), twiceIn(counters)))
          this.#unsaved.touch(route_rule_id)
          this.#counted.delete(route_rule_id)
        }
        lastCounters.push(...last)
      })
    } finally {
      this.#changing -= 1
      this.#generation += 1
      // A removed counter cannot be read again, so its last value is saved at once. If that fails, it is saved with the
      // next run; the change stands.
      if (lastCounters.length > 0)
        await this.save().catch((err: unknown) =>
          this.#deps.logger.error({ err }, 'the traffic of the rules was not saved'),
        )
    }
  }

  /** Runs are sequential. What cannot be written is tried again with the next run. */
  async save(): Promise<void> {
    const accumulators = await this.#getAccumulators()
    await this.#unsaved.save((route_rule_id) => accumulatorFor(accumulators, route_rule_id).sum)
  }

  async #read(): Promise<boolean> {
    const accumulators = await this.#getAccumulators()
    const generation = this.#generation
    const known = this.#revision
    this.#revision = undefined
    const held = await nullIfHelperAway(readKernelCounters(this.#deps.request, known))
    if (this.#changing > 0 || generation !== this.#generation) return false
    this.#available = held
      ? { is_readable: held.is_readable, detail: fromRoot(held.detail) }
      : { is_readable: false, detail: message('panel.helper_away') }
    if (!held?.is_readable) return false
    if (known === undefined) this.#counted.clear()
    for (const one of held.counters) {
      this.#counted.add(one.route_rule_id)
      const accumulator = accumulatorFor(accumulators, one.route_rule_id)
      this.#add(one.route_rule_id, accumulator.read(deltaOnly(one), held.epoch, twiceIn(one)))
    }
    for (const one of held.fast?.counters ?? [])
      this.#add(
        one.route_rule_id,
        accumulatorFor(accumulators, one.route_rule_id).readFast(deltaOnly(one), held.fast?.epoch ?? ''),
      )
    this.#revision = held.revision
    this.#missing = fromRoot(held.fast?.detail ?? '')
    this.#readAt = { date: this.#deps.now().getTime(), monotonic: this.#deps.monotonic() }
    return true
  }

  #add(route_rule_id: number, delta: TrafficDelta): void {
    if (isNothing(delta)) return
    this.#unsaved.add(route_rule_id, delta)
    this.#sinceSample.set(route_rule_id, plus(this.#sinceSample.get(route_rule_id) ?? NOTHING, delta))
  }

  async #sample(): Promise<void> {
    const isRead = await this.read()
    const [before, read] = [this.#sampledAt, this.#readAt]
    if (!isRead || read === null) return
    const seconds = before !== null && read.monotonic > before ? (read.monotonic - before) / 1000 : null
    this.#sampledAt = read.monotonic
    const deltas = this.#sinceSample
    this.#sinceSample = new Map()
    this.#samples = [...this.#samples.slice(-TRAFFIC_POINTS.maximum), { at: read.date, seconds, deltas }]
    if (seconds === null) return
    this.#publish(this.evidence.take(deltas, read.date))
  }

  #publish(route_rule_ids: readonly number[]): void {
    if (route_rule_ids.length > 0) this.#deps.publish('traffic.evidence', { route_rule_ids })
  }

  #getAccumulators(): Promise<Map<number, CounterAccumulator>> {
    this.#accumulators ??= this.#load()
    return this.#accumulators
  }

  async #load(): Promise<Map<number, CounterAccumulator>> {
    try {
      return new Map([...(await allTotals(this.#deps.db))].map(([id, sum]) => [id, new CounterAccumulator(sum)]))
    } catch (failure) {
      this.#accumulators = null
      throw failure
    }
  }
}

const twiceIn = ({ twice }: RelayCounters): TrafficDelta | null => (twice ? deltaOnly(twice) : null)
