// The place where the relay rules plug their traffic into each snapshot.
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'

export type RoutesPart = Pick<MetricsSnapshot, 'routes' | 'route_totals'>

/** Asked once for each snapshot; it is waited for, so it answers from what it holds. */
export type ReadRoutes = () => Promise<RoutesPart> | RoutesPart

/** Of a host without relay rules. */
export const noRoutes = (): RoutesPart => ({
  routes: [],
  route_totals: { routes: 0, rx_bytes_per_second: 0, tx_bytes_per_second: 0, new_connections_per_second: 0, active_connections: 0 },
})
