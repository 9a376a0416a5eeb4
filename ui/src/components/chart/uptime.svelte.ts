// The uptime of all tunnels, in one request for a whole list, over the hours that the address says.
import type { TunnelUptime } from '@panel/shared/api/monitor.ts'
import { endpoint, createQuery } from '../../core/query.svelte.ts'
import { router } from '../../core/router.svelte.ts'

/** The spans of GET /monitor/uptime: a day, a week, 30 and 90 days. */
export const UPTIME_HOURS = [24, 168, 720, 2160] as const

export const uptimeHours = (): (typeof UPTIME_HOURS)[number] =>
  UPTIME_HOURS.find((hours) => `${hours}` === router.search.get('uptime')) ?? 24

/** Call in a component's script. */
export const createUptime = () => {
  const query = createQuery(() => ({
    ...endpoint('GET /monitor/uptime', { query: { hours: uptimeHours() } }),
    refetchInterval: 60_000,
  }))
  const byId = $derived(new Map(query.data?.tunnels.map((one) => [one.tunnel_id, one])))
  const of = (tunnel_id: number | undefined): TunnelUptime | undefined =>
    tunnel_id === undefined ? undefined : byId.get(tunnel_id)
  /** The least first; what was not measured comes last. */
  const share = (tunnel_id: number | undefined): number => of(tunnel_id)?.uptime_percent ?? 101
  return { of, order: (a: number | undefined, b: number | undefined): number => share(a) - share(b) }
}
