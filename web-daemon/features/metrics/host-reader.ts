// Takes one snapshot of the host. A part that cannot be read is reported in `errors`; the others are still read.
import type { MetricsError, MetricsPoint, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { messageFields } from '@panel/shared/messages/message.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { Disks } from './disks.ts'
import type { Host } from './host.ts'
import { NO_TRAFFIC, type Interfaces } from './interfaces.ts'
import { NO_LOAD, parseLoad } from './parse/loadavg.ts'
import { NO_MEMORY, NO_SWAP, parseMemory, parseSwap } from './parse/meminfo.ts'
import { parseStat, usage, type CpuTimes } from './parse/stat.ts'
import { routesBrief, type RoutesReader } from './routes-snapshot.ts'

/** A snapshot that has of the rules only what is kept of them. */
export interface HostReading extends Omit<MetricsSnapshot, 'routes'> {
  readonly kept: MetricsPoint['routes']
}

export interface HostReaderDeps {
  readonly host: Host
  readonly settings: SettingsReader
  readonly interfaces: Interfaces
  readonly routes: RoutesReader
}

export class HostReader {
  readonly #deps: HostReaderDeps
  readonly #disks: Disks
  #cpu: ReadonlyMap<string, CpuTimes> = new Map()

  constructor(deps: HostReaderDeps) {
    this.#deps = deps
    this.#disks = new Disks(deps.host, deps.settings)
  }

  /** `seconds`: since the previous reading. */
  async read(now: Date, seconds: number, knownKinds: ReadonlyMap<string, string>): Promise<HostReading> {
    const { host, settings, interfaces, routes } = this.#deps
    const errors: MetricsError[] = []
    const attempt = async <T>(part: MetricsError['part'], otherwise: T, read: () => T | Promise<T>): Promise<T> => {
      try {
        return await read()
      } catch (failure) {
        errors.push({ part, ...messageFields('detail', errorMessage(failure)) })
        return otherwise
      }
    }
    // Counters first and together: their rates are measured between two calls.
    const network = await attempt('network', { interfaces: [], totals: NO_TRAFFIC }, () =>
      interfaces.read(now, seconds, knownKinds),
    )
    const cpu = await attempt('cpu', [], () => this.#readCpu())
    const meminfo = await attempt('memory', '', () => host.read('/proc/meminfo'))
    return {
      at: now.toISOString(),
      interval_seconds: settings.get('metrics.sample_interval_seconds'),
      cpu,
      memory: await attempt('memory', NO_MEMORY, () => parseMemory(meminfo)),
      swap: await attempt('swap', NO_SWAP, () => parseSwap(meminfo)),
      load: await attempt('load', NO_LOAD, () => parseLoad(host.read('/proc/loadavg'))),
      disks: await attempt('disks', [], () =>
        this.#disks.read((sentence) => void errors.push({ part: 'disks', ...messageFields('detail', sentence) })),
      ),
      network,
      ...(await attempt('routes', routesBrief(0, []), routes.brief)),
      errors,
    }
  }

  /** The reading with every rule in it. */
  async complete({ kept: _, ...reading }: HostReading): Promise<MetricsSnapshot> {
    try {
      return { ...reading, routes: await this.#deps.routes.all() }
    } catch (failure) {
      const error = { part: 'routes' as const, ...messageFields('detail', errorMessage(failure)) }
      const others = reading.errors.filter(({ part }) => part !== 'routes')
      return { ...reading, routes: [], errors: [...others, error] }
    }
  }

  #readCpu(): MetricsSnapshot['cpu'] {
    const before = this.#cpu
    const now = parseStat(this.#deps.host.read('/proc/stat'))
    this.#cpu = now
    return [...now].map(([name, times]) => usage(name, times, before.get(name)))
  }
}
