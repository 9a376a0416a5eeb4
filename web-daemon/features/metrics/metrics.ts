// The metrics of the host: sampled, summed up, stored, kept and streamed (reference.md, Metrics; decisions.md, M1 to
// M3, E7).
import type { Logger } from 'pino'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import type { InterfaceReading } from '@panel/shared/api/metrics.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import type { SettingKey } from '../settings/definitions.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { existingTunnels } from '../tunnels/store.ts'
import { systemClock, type Clock } from './clock.ts'
import { HostReader, type HostReading } from './host-reader.ts'
import { HostHistory } from './host-history.ts'
import { thisHost, type Host } from './host.ts'
import { Interfaces } from './interfaces.ts'
import { routesBrief, type RoutesReader } from './routes-snapshot.ts'
import { Sampler } from './sampler.ts'
import { readTotals, writeTotals } from './store.ts'

/**
 * A power cut loses at most this much of the totals; a crash of the panel loses nothing, since the kernel keeps
 * counting.
 */
export const SAVE_EVERY_MS = 60_000

export interface MetricsDeps {
  readonly db: StoreContext['db']
  readonly bus: Bus
  readonly now: () => Date
  readonly logger: Logger
  readonly host?: Host
  readonly clock?: Clock
  readonly settings: SettingsReader
  readonly routes?: RoutesReader
  /** Called with each reading and the seconds since the one before. */
  readonly onTraffic?: (interfaces: readonly InterfaceReading[], seconds: number) => void
}

export class Metrics {
  readonly #deps: Required<MetricsDeps>
  readonly sampler: Sampler
  readonly history: HostHistory
  readonly settings: SettingsReader
  #interfaces: Interfaces | null = null
  #reader: HostReader | null = null
  #savedAt = 0
  /** The kinds of the panel's own tunnels, by name; null if they have to be read again. */
  #kinds: Promise<ReadonlyMap<string, string>> | null = null
  #subscriptions: (() => void)[] = []

  constructor(deps: MetricsDeps) {
    this.settings = deps.settings
    this.#deps = {
      host: thisHost,
      clock: systemClock,
      routes: { brief: async () => routesBrief(0, []), all: async () => [] },
      onTraffic: () => undefined,
      ...deps,
    }
    const { clock, db, logger, now } = this.#deps
    this.history = new HostHistory({ db, now, settings: this.settings })
    this.sampler = new Sampler({
      settings: this.settings,
      clock,
      logger,
      read: (seconds) => this.#read(seconds),
      complete: (reading) => this.#started().complete(reading),
    })
  }

  async start(): Promise<void> {
    const { db, bus, host, routes, clock } = this.#deps
    const interfaces = new Interfaces(host, this.settings, await readTotals(db))
    this.#interfaces = interfaces
    const dropKinds = (): void => void (this.#kinds = null)
    this.#subscriptions = [
      bus.subscribe('tunnel.created', dropKinds),
      bus.subscribe('tunnel.updated', dropKinds),
      bus.subscribe('tunnel.deleted', dropKinds),
      bus.subscribe('host.changed', ({ events }) => interfaces.onHostEvents(events)),
    ]
    this.#reader = new HostReader({ host, settings: this.settings, interfaces, routes })
    this.#savedAt = clock.monotonic() - SAVE_EVERY_MS
    await this.sampler.start()
  }

  async stop(): Promise<void> {
    if (!this.sampler.isRunning) return
    this.sampler.stop()
    for (const end of this.#subscriptions) end()
    await this.#save(true)
  }

  /** Settings that are read at every sample need no action here. */
  onSettingsChanged(changed: readonly SettingKey[]): void {
    if (changed.includes('metrics.sample_interval_seconds')) this.sampler.reschedule()
    if (changed.includes('metrics.history_points')) this.sampler.resize()
  }

  async #read(seconds: number): Promise<HostReading> {
    this.#kinds ??= this.#readKinds()
    const snapshot = await this.#started().read(this.#deps.now(), seconds, await this.#kinds)
    if (seconds > 0) {
      this.#deps.onTraffic(snapshot.network.interfaces, seconds)
      this.history.add(snapshot, seconds)
    }
    const failure = await this.#saveWhenDue()
    if (failure !== null) snapshot.errors.push({ part: 'store', ...messageFields('detail', failure) })
    return snapshot
  }

  #started(): HostReader {
    if (!this.#reader) throw new Error('metrics are read before they are started')
    return this.#reader
  }

  /** The error if the totals cannot be stored, or null. */
  async #saveWhenDue(): Promise<Message | null> {
    if (this.#deps.clock.monotonic() - this.#savedAt < SAVE_EVERY_MS) return null
    try {
      await this.#save()
      return null
    } catch (err) {
      this.#deps.logger.error({ err }, 'the traffic totals cannot be stored')
      return message('component.totals_unstored', { why: errorMessage(err) })
    }
  }

  async #save(isLast = false): Promise<void> {
    if (this.#interfaces) await writeTotals(this.#deps.db, this.#interfaces.totals)
    await this.history.save(isLast)
    this.#savedAt = this.#deps.clock.monotonic()
  }

  async #readKinds(): Promise<ReadonlyMap<string, string>> {
    try {
      return new Map(
        (await existingTunnels(this.#deps.db)).map((tunnel) => [
          tunnel.interface_name,
          kindOfType(tunnel.tunnel_type_id) as string,
        ]),
      )
    } catch (failure) {
      this.#kinds = null
      throw failure
    }
  }
}
