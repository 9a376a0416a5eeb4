// The relay rules in each snapshot, as their own sampler has them, so that a reading does not wait for counters.
import type { MetricsSnapshot, RouteReading } from '@panel/shared/api/metrics.ts'
import type { TrafficView } from '@panel/shared/api/routes/traffic.ts'
import type { ReadDb } from '../../platform/context.ts'
import { allTitles } from '../routes/store.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { trafficView } from '../traffic/view.ts'

export type RoutesSnapshot = Pick<MetricsSnapshot, 'routes' | 'route_totals'>
export type ReadRoutes = () => Promise<RoutesSnapshot>

export function makeRoutesReader(db: ReadDb, traffic: Traffic): ReadRoutes {
  return async () => {
    const rules = await allTitles(db)
    return routesSnapshot(await Promise.all(rules.map(async (rule) => routeReading(await trafficView(traffic, rule)))))
  }
}

const routeReading = (view: TrafficView): RouteReading => ({
  route_rule_id: view.route_rule_id,
  title: view.title,
  rx_bytes_since_boot: view.rx_bytes_since_boot,
  tx_bytes_since_boot: view.tx_bytes_since_boot,
  rx_bytes_since_creation: view.rx_bytes_since_creation,
  tx_bytes_since_creation: view.tx_bytes_since_creation,
  rx_bytes_per_second: view.rx_bytes_per_second,
  tx_bytes_per_second: view.tx_bytes_per_second,
  new_connections_per_second: view.new_connections_per_second,
  active_connections: view.active_connections,
})

/** Null readings are left out of the totals. */
export function routesSnapshot(routes: RouteReading[]): RoutesSnapshot {
  const sum = (of: (reading: RouteReading) => number | null): number =>
    routes.reduce((all, reading) => all + (of(reading) ?? 0), 0)
  return {
    routes,
    route_totals: {
      routes: routes.length,
      rx_bytes_per_second: sum((r) => r.rx_bytes_per_second),
      tx_bytes_per_second: sum((r) => r.tx_bytes_per_second),
      new_connections_per_second: sum((r) => r.new_connections_per_second),
      active_connections: sum((r) => r.active_connections),
    },
  }
}
