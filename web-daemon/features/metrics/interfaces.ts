// The traffic of every interface: the kernel's counters, the panel's totals, and rates between two readings.
import type { InterfaceCounters, InterfaceReading, MetricsSnapshot, TrafficFigures } from '@panel/shared/api/metrics.ts'
import type { HostEvent } from '@panel/shared/events/model.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { hundredths } from './figures.ts'
import type { Host } from './host.ts'
import { Links, READ_ALL_MAX } from './links.ts'
import { NO_FACTS, type LinkFacts } from './parse/link.ts'
import { parseNetDev } from './parse/net-dev.ts'
import { NAMES_KEPT } from './store.ts'
import { firstTotal, nextTotal, type TrafficTotal } from './traffic-total.ts'

export const NO_TRAFFIC: TrafficFigures = {
  rx_bytes_per_second: 0,
  tx_bytes_per_second: 0,
  rx_bytes_since_boot: 0,
  tx_bytes_since_boot: 0,
  rx_bytes_since_install: 0,
  tx_bytes_since_install: 0,
}

/** Common to all interfaces of one reading. */
interface Reading {
  readonly seen_date: string
  /** Since the previous reading. */
  readonly seconds: number
  readonly isIndexKnown: boolean
}

export class Interfaces {
  readonly #host: Host
  readonly #settings: SettingsReader
  readonly #links: Links
  readonly #boot_id: string
  /** The totals by name; the longest unseen come first. */
  readonly #totals: Map<string, TrafficTotal>
  #isFirstEver: boolean
  #names: ReadonlySet<string> = new Set()

  /** `stored`: empty if the panel has never sampled before. */
  constructor(host: Host, settings: SettingsReader, stored: ReadonlyMap<string, TrafficTotal>) {
    this.#host = host
    this.#settings = settings
    this.#links = new Links(host)
    this.#boot_id = host.read('/proc/sys/kernel/random/boot_id').trim()
    this.#totals = new Map([...stored].sort(([, a], [, b]) => (a.seen_date < b.seen_date ? -1 : 1)))
    this.#isFirstEver = stored.size === 0
  }

  /** The totals of the present interfaces, to be stored. */
  get totals(): ReadonlyMap<string, TrafficTotal> {
    return new Map(
      [...this.#names].flatMap((name) =>
        [[name, this.#totals.get(name)]].filter((pair): pair is [string, TrafficTotal] => pair[1] !== undefined),
      ),
    )
  }

  /** Interfaces that the kernel reports as changed are read again. */
  onHostEvents(events: readonly HostEvent[]): void {
    for (const { subject, interface_name } of events) if (subject === 'link') this.#links.markChanged(interface_name)
  }

  /** `seconds`: since the previous reading. `knownKinds`: kinds of the panel's own tunnels, by name. */
  read(now: Date, seconds: number, knownKinds: ReadonlyMap<string, string>): MetricsSnapshot['network'] {
    const counted = parseNetDev(this.#host.read('/proc/net/dev'))
    const links = this.#links.read(
      [...counted.keys()],
      (name) => this.#isRecreated(name, counted.get(name)),
      knownKinds,
    )
    // With many interfaces only some are read each time, so a new index does not tell when its counters started.
    const reading = { seen_date: now.toISOString(), seconds, isIndexKnown: counted.size <= READ_ALL_MAX }
    const all = [...counted].map(([name, counters]) =>
      this.#reading(name, counters, links.get(name)?.facts ?? NO_FACTS, reading),
    )
    this.#names = new Set(counted.keys())
    this.#isFirstEver = false
    this.#dropOldest()
    return {
      interfaces: this.#settings.get('metrics.hide_loopback') ? all.filter((one) => one.class !== 'loopback') : all,
      totals: sumTraffic(all),
    }
  }

  #isRecreated(name: string, counters: InterfaceCounters | undefined): boolean {
    const before = this.#totals.get(name)
    if (!counters || !before || !this.#names.has(name)) return true
    return counters.rx_bytes < before.rx_bytes_seen || counters.tx_bytes < before.tx_bytes_seen
  }

  #reading(
    name: string,
    counters: InterfaceCounters,
    facts: LinkFacts,
    { seen_date, seconds, isIndexKnown }: Reading,
  ): InterfaceReading {
    const isContinued = this.#names.has(name)
    const before = this.#totals.get(name)
    const counterReading = {
      boot_id: this.#boot_id,
      interface_index: facts.index,
      rx_bytes_seen: counters.rx_bytes,
      tx_bytes_seen: counters.tx_bytes,
      seen_date,
    }
    const total = this.#isFirstEver
      ? firstTotal(counterReading)
      : nextTotal(before, counterReading, isIndexKnown || !isContinued)
    this.#totals.delete(name)
    this.#totals.set(name, total)
    const over = before && isContinued && seconds > 0 ? seconds : Infinity
    return {
      name,
      index: facts.index,
      class: facts.class,
      kind: facts.kind,
      mtu: facts.mtu,
      oper_state: facts.oper_state,
      is_up: facts.is_up,
      rx_bytes_per_second: hundredths((total.rx_bytes_since_install - (before?.rx_bytes_since_install ?? 0)) / over),
      tx_bytes_per_second: hundredths((total.tx_bytes_since_install - (before?.tx_bytes_since_install ?? 0)) / over),
      rx_bytes_since_boot: counters.rx_bytes,
      tx_bytes_since_boot: counters.tx_bytes,
      rx_bytes_since_install: total.rx_bytes_since_install,
      tx_bytes_since_install: total.tx_bytes_since_install,
      counters,
    }
  }

  #dropOldest(): void {
    for (const name of this.#totals.keys()) {
      if (this.#totals.size <= NAMES_KEPT) return
      if (!this.#names.has(name)) this.#totals.delete(name)
    }
  }
}

/** Bytes of a tunnel or a bridge are counted by the interface below it too, so only physical interfaces are summed. */
const sumTraffic = (all: readonly InterfaceReading[]): TrafficFigures => {
  const physical = all.filter((one) => one.class === 'physical')
  const counted = physical.length > 0 ? physical : all.filter((one) => one.class === 'other')
  const sum = (figure: keyof TrafficFigures): number => counted.reduce((whole, one) => whole + one[figure], 0)
  const figures = Object.keys(NO_TRAFFIC) as (keyof TrafficFigures)[]
  return Object.fromEntries(figures.map((figure) => [figure, hundredths(sum(figure))])) as Record<
    keyof TrafficFigures,
    number
  >
}
