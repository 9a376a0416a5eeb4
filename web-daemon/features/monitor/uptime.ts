// How long each tunnel was up, and its worst state in each of the ticks that a list shows (reference.md, GET
// /monitor/uptime; decisions.md, M7).
import { MONITOR_STATES } from '@panel/shared/api/base/lookups.ts'
import type { MonitorUptimeAnswer, TunnelUptime } from '@panel/shared/api/monitor.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { TICK_HOURS, TICK_SECONDS } from '@panel/shared/api/queries.ts'
import { stateOfSeverity } from './bucket.ts'
import type { Monitor } from './monitor.ts'
import { findTicks, firstTick, TICKS, type TunnelTicks } from './store-ticks.ts'
import type { WatchedTunnel } from './watched-tunnel.ts'

/** SQLite blocks the thread while it reads; other requests are served in between. */
const AT_ONCE = 250

interface Ticks {
  readonly since: number
  readonly tick_seconds: number
}

export function showUptime(monitor: Monitor) {
  return async ({ db, now }: ReadContext, { query }: Incoming): Promise<Answer<MonitorUptimeAnswer>> => {
    await monitor.settled()
    const at = now().getTime()
    const hours = TICK_HOURS.find((one) => `${one}` === query['hours']) ?? 24
    const tick_seconds = TICK_SECONDS[hours]
    const ticks: Ticks = { since: firstTick(at / 1000, tick_seconds), tick_seconds }
    const tunnels: TunnelUptime[] = []
    for (let from = 0; from < monitor.tunnels.all.length; from += AT_ONCE) {
      const some = monitor.tunnels.all.slice(from, from + AT_ONCE)
      const stored = await findTicks(db, { ...ticks, tunnel_ids: some.map(({ plan }) => plan.tunnel_id) })
      const byId = new Map(stored.map((one) => [one.tunnel_id, one]))
      for (const watched of some) {
        watched.note(at)
        tunnels.push(uptimeOf(watched, byId.get(watched.plan.tunnel_id), ticks))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    tunnels.sort((a, b) => a.tunnel_id - b.tunnel_id)
    return ok({
      hours,
      since: new Date(ticks.since * 1000).toISOString(),
      tick_seconds,
      tunnels,
      total: tunnels.length,
    })
  }
}

/** The uptime, with the intervals that are not stored yet. */
function uptimeOf(
  { plan: { tunnel_id }, buckets }: WatchedTunnel,
  stored: TunnelTicks | undefined,
  { since, tick_seconds }: Ticks,
): TunnelUptime {
  const unsaved = buckets.filter(({ bucket_start }) => bucket_start >= since)
  const worst: (number | null)[] = Array<null>(TICKS).fill(null)
  const note = (start: number, severity: number): void => {
    const at = Math.floor((start - since) / tick_seconds)
    if (at < TICKS) worst[at] = Math.max(worst[at] ?? 0, severity)
  }
  for (const [start, severity] of stored?.worst ?? []) note(start, severity)
  for (const { bucket_start, worst_severity } of unsaved) note(bucket_start, worst_severity)
  const seconds = (time: 'up_ms' | 'degraded_ms' | 'down_ms'): number =>
    unsaved.reduce((sum, bucket) => sum + bucket[time], stored?.[time] ?? 0) / 1000
  const [up_seconds, degraded_seconds, down_seconds] = [seconds('up_ms'), seconds('degraded_ms'), seconds('down_ms')]
  const measured = up_seconds + degraded_seconds + down_seconds
  return {
    tunnel_id,
    uptime_percent: measured === 0 ? null : 100 * (1 - down_seconds / measured),
    up_seconds,
    degraded_seconds,
    down_seconds,
    worst_monitor_state_ids: worst.map((severity) =>
      severity === null ? null : MONITOR_STATES[stateOfSeverity(severity)],
    ),
  }
}
