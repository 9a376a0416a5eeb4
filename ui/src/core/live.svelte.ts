// The shared streams of a tab and their latest data: tunnel states and host metrics.
import type { MetricsPoint, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import type { MonitorSnapshot, MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import { invalidate, invalidateOlder } from './query.svelte.ts'
import { LiveStream } from './stream.svelte.ts'

const byId = (tunnels: readonly MonitorSnapshot[]): ReadonlyMap<number, MonitorSnapshot> =>
  new Map(tunnels.map((snapshot) => [snapshot.tunnel_id, snapshot]))

const TOGETHER_MS = 1000

class MonitorLive {
  /** The snapshots by tunnel id; replaced once per frame. Null before the first snapshot. */
  tunnels = $state.raw<ReadonlyMap<number, MonitorSnapshot> | null>(null)
  readonly stream = new LiveStream('GET /monitor/stream', {
    summary: (events) => {
      const last = events.at(-1)
      if (last) this.tunnels = byId(last.tunnels)
      void invalidate('/safe-apply')
      // Changes between an earlier answer and the opening of this stream are announced by nothing. On a first visit
      // both come together, and a second answer would be half as much again.
      void invalidateOlder(TOGETHER_MS, '/tunnels', '/routes', '/reconcile')
    },
    tunnel: (events) => {
      const next = new Map(this.tunnels)
      for (const snapshot of events) next.set(snapshot.tunnel_id, snapshot)
      this.tunnels = next
      this.#outdate()
    },
    tunnel_deleted: (events) => {
      const next = new Map(this.tunnels)
      for (const { tunnel_id } of events) next.delete(tunnel_id)
      this.tunnels = next
      this.#outdate()
    },
    reconcile: () => void invalidate('/reconcile', '/tunnels'),
    heal: () => void invalidate('/reconcile', '/system/health'),
    safe_apply: () => void invalidate('/safe-apply'),
    route: () => void invalidate('/routes', '/reconcile'),
  })
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Prefetched data, used until the stream delivers. */
  begin({ tunnels }: MonitorSummaryAnswer): void {
    this.tunnels ??= byId(tunnels)
  }

  /** Batches many changes into one refetch. */
  #outdate(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void invalidate('/tunnels', '/reconcile/attention')
    }, 1000)
  }
}

/** Readings kept for sparklines and charts. */
const KEPT = 120
const KEPT_FOR_CHARTS = 600

/** Without interfaces and rules, of which there may be a thousand. */
export type Reading = Pick<MetricsPoint, 'at' | 'cpu' | 'memory' | 'load' | 'route_totals'> & {
  readonly network: Pick<MetricsPoint['network'], 'totals'>
}
const toReading = ({ at, cpu, memory, load, route_totals, network: { totals } }: MetricsSnapshot): Reading => ({
  at,
  cpu,
  memory,
  load,
  route_totals,
  network: { totals },
})

class MetricsLive {
  latest = $state.raw<MetricsSnapshot | null>(null)
  /** Newest last, since the page was opened. */
  recent = $state.raw<readonly MetricsSnapshot[]>([])
  timeline = $state.raw<readonly Reading[]>([])
  readonly stream = new LiveStream('GET /system/metrics/stream', {
    metrics: (events) => {
      this.latest = events.at(-1) ?? this.latest
      this.recent = [...this.recent, ...events].slice(-KEPT)
      this.timeline = [...this.timeline, ...events.map(toReading)].slice(-KEPT_FOR_CHARTS)
    },
  })
}

export const monitor = new MonitorLive()
export const metrics = new MetricsLive()
