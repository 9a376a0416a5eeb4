// The throughput of one thing in the readings that the stream has brought to this tab.
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { metrics } from '../../core/live.svelte.ts'
import type { RatePoint } from './rates.ts'

interface Rates {
  readonly rx_bytes_per_second: number | null
  readonly tx_bytes_per_second: number | null
}

/** Oldest first; nothing of a reading in which it is not. */
export const liveRates = (of: (reading: MetricsSnapshot) => Rates | undefined): RatePoint[] =>
  metrics.recent.flatMap((reading) => {
    const found = of(reading)
    return found
      ? [{ time: Date.parse(reading.at) / 1000, rx: found.rx_bytes_per_second, tx: found.tx_bytes_per_second }]
      : []
  })

export const tunnelRates = (interface_name: string): RatePoint[] =>
  liveRates(({ network }) => network.interfaces.find(({ name }) => name === interface_name))

export const ruleRates = (route_rule_id: number): RatePoint[] =>
  liveRates(({ routes }) => routes.find((one) => one.route_rule_id === route_rule_id))
