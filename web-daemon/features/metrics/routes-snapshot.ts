// The relay rules in each reading, as their own sampler has them, so that a reading does not wait for counters. The
// figures of every rule are made for those who ask: each second, those of ten thousand would cost more than all the rest.
import type { MetricsPoint, RouteReading, RouteTotals } from '@panel/shared/api/metrics.ts'
import type { TrafficView } from '@panel/shared/api/routes/traffic.ts'
import type { ReadDb } from '../../platform/context.ts'
import { allTitles, countRoutes, titlesOf, type Titled } from '../routes/store.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { trafficView } from '../traffic/view.ts'

/** The number of rules whose history is kept: where there are more, the busiest of each reading. */
export const ROUTES_KEPT = 64

/** What every reading has of the rules. */
export interface RoutesBrief {
  readonly route_totals: RouteTotals
  readonly kept: MetricsPoint['routes']
}

export interface RoutesReader {
  readonly brief: () => Promise<RoutesBrief>
  readonly all: () => Promise<RouteReading[]>
}

export function makeRoutesReader(db: ReadDb, traffic: Traffic): RoutesReader {
  const readingsOf = (rules: readonly Titled[]): Promise<RouteReading[]> =>
    Promise.all(rules.map(async (rule) => routeReading(await trafficView(traffic, rule))))
  return {
    brief: async () => {
      const total = await countRoutes(db)
      const rules = total <= ROUTES_KEPT ? await allTitles(db) : await titlesOf(db, traffic.active())
      return routesBrief(total, await readingsOf(rules))
    },
    all: async () => readingsOf(await allTitles(db)),
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

/** `readings`: of every rule that has traffic or connections. Null readings are left out of the totals. */
export function routesBrief(routes: number, readings: readonly RouteReading[]): RoutesBrief {
  const sum = (of: (reading: RouteReading) => number | null): number =>
    readings.reduce((all, reading) => all + (of(reading) ?? 0), 0)
  return {
    route_totals: {
      routes,
      rx_bytes_per_second: sum((r) => r.rx_bytes_per_second),
      tx_bytes_per_second: sum((r) => r.tx_bytes_per_second),
      new_connections_per_second: sum((r) => r.new_connections_per_second),
      active_connections: sum((r) => r.active_connections),
    },
    kept: busiest(readings).map(({ route_rule_id, rx_bytes_per_second, tx_bytes_per_second }) => ({
      route_rule_id,
      rx_bytes_per_second,
      tx_bytes_per_second,
    })),
  }
}

function busiest(readings: readonly RouteReading[]): readonly RouteReading[] {
  if (readings.length <= ROUTES_KEPT) return readings
  const rate = (one: RouteReading): number => (one.rx_bytes_per_second ?? 0) + (one.tx_bytes_per_second ?? 0)
  return [...readings].sort((a, b) => rate(b) - rate(a)).slice(0, ROUTES_KEPT)
}
