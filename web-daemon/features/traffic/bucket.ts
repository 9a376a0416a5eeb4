// The traffic of a rule within one interval of its history.
import { makeSeries, type Interval } from '../../platform/series/series.ts'
import type { ConnectionCounts } from './connection-counter.ts'
import type { TrafficDelta } from './delta.ts'

export interface Bucket extends Interval, TrafficDelta, ConnectionCounts {
  readonly route_rule_id: number
}

export const TRAFFIC_HISTORY = makeSeries<Bucket, 'route_rule_id'>('route_bucket', 'route_rule_id', {
  rx_bytes: 'sum',
  tx_bytes: 'sum',
  rx_packets: 'sum',
  tx_packets: 'sum',
  active_connections: 'max',
  new_connections: 'whole',
})
