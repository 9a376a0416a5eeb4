// The relay rules in each snapshot: what their own sampler holds, so that a reading waits for no counter.
import type { MetricsSnapshot, RouteReading } from '@panel/shared/api/metrics.ts'
import type { TrafficView } from '@panel/shared/api/routes/traffic.ts'
import type { ReadDb } from '../../platform/context.ts'
import { allTitles } from '../routes/store.ts'
import type { Traffic } from '../routes/traffic/traffic.ts'
import { trafficView } from '../routes/traffic/view.ts'

export type RoutesPart = Pick<MetricsSnapshot, 'routes' | 'route_totals'>
export type ReadRoutes = () => Promise<RoutesPart>

export const readRoutesOf =
  (db: ReadDb, traffic: Traffic): ReadRoutes =>
  async () => {
    const rules = await allTitles(db)
    return partOf(await Promise.all(rules.map(async (rule) => readingOf(await trafficView(traffic, rule)))))
  }

const readingOf = (view: TrafficView): RouteReading => ({
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

/** A total is of what is known. */
export function partOf(routes: RouteReading[]): RoutesPart {
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
