// The metrics of the host: read, summed up and stored, kept, streamed (interface.md, Metrics; decisions.md, M1 to M3, E7).
import type { Logger } from 'pino'
import { kindOfType } from '@panel/shared/api/lookups.ts'
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { SettingKey } from '../settings/definitions.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { neighbours } from '../tunnels/store.ts'
import { systemClock, type Clock } from './clock.ts'
import { HostReader } from './host-reader.ts'
import { thisHost, type Host } from './host.ts'
import { Interfaces } from './interfaces.ts'
import { partOf, type ReadRoutes } from './routes-part.ts'
import { Sampler } from './sampler.ts'
import { readTallies, writeTallies } from './store.ts'

/** What a power cut can lose of the sums; a crash of the panel loses nothing, since the kernel goes on counting. */
export const SAVE_EVERY_MS = 60_000

export interface MetricsParts {
  readonly db: CommandContext['db']
  readonly bus: Bus
  readonly now: () => Date
  readonly logger: Logger
  readonly host?: Host
  readonly clock?: Clock
  readonly settings: SettingsReader
  readonly readRoutes?: ReadRoutes
}

export class Metrics {
  readonly #parts: Required<MetricsParts>
  readonly sampler: Sampler
  readonly settings: SettingsReader
  #interfaces: Interfaces | null = null
  #reader: HostReader | null = null
  #savedAt = 0
  /** Of the panel's own tunnels, by name; null where some of them are other ones by now. */
  #kinds: Promise<ReadonlyMap<string, string>> | null = null
  #hearing: (() => void)[] = []

  constructor(parts: MetricsParts) {
    this.settings = parts.settings
    this.#parts = { host: thisHost, clock: systemClock, readRoutes: async () => partOf([]), ...parts }
    const { clock, logger } = this.#parts
    this.sampler = new Sampler({ settings: this.settings, clock, logger, read: (seconds) => this.#read(seconds) })
  }

  async start(): Promise<void> {
    const { db, bus, host, readRoutes, clock } = this.#parts
    const interfaces = new Interfaces(host, this.settings, await readTallies(db))
    this.#interfaces = interfaces
    const forget = (): void => void (this.#kinds = null)
    this.#hearing = [
      bus.subscribe('tunnel.created', forget),
      bus.subscribe('tunnel.updated', forget),
      bus.subscribe('tunnel.deleted', forget),
      bus.subscribe('host.changed', ({ events }) => interfaces.hear(events)),
    ]
    this.#reader = new HostReader({ host, settings: this.settings, interfaces, readRoutes })
    this.#savedAt = clock.monotonic() - SAVE_EVERY_MS
    await this.sampler.start()
  }

  async stop(): Promise<void> {
    if (!this.sampler.isRunning) return
    this.sampler.stop()
    for (const end of this.#hearing) end()
    await this.#save()
  }

  /** What is read at each reading needs no word; a timer and the length of what is kept do. */
  heed(changed: readonly SettingKey[]): void {
    if (changed.includes('metrics.sample_interval_seconds')) this.sampler.retime()
    if (changed.includes('metrics.history_points')) this.sampler.resize()
  }

  async #read(seconds: number): Promise<MetricsSnapshot> {
    if (!this.#reader) throw new Error('metrics are read before they are started')
    this.#kinds ??= this.#readKinds()
    const snapshot = await this.#reader.read(this.#parts.now(), seconds, await this.#kinds)
    const failure = await this.#saveWhenDue()
    if (failure !== null) snapshot.errors.push({ part: 'store', detail: failure })
    return snapshot
  }

  /** Why the sums cannot be stored, or null. */
  async #saveWhenDue(): Promise<string | null> {
    if (this.#parts.clock.monotonic() - this.#savedAt < SAVE_EVERY_MS) return null
    try {
      await this.#save()
      return null
    } catch (err) {
      this.#parts.logger.error({ err }, 'the sums of traffic cannot be stored')
      return `The sums since the installation cannot be stored: ${err instanceof Error ? err.message : String(err)}`
    }
  }

  async #save(): Promise<void> {
    if (this.#interfaces) await writeTallies(this.#parts.db, this.#interfaces.tallies)
    this.#savedAt = this.#parts.clock.monotonic()
  }

  async #readKinds(): Promise<ReadonlyMap<string, string>> {
    try {
      return new Map(
        (await neighbours(this.#parts.db)).map((tunnel) => [
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
