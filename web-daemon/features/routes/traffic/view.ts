// The traffic of a rule as it is sent: the kernel's counter and the panel's total side by side, never added together
// (decisions.md, F18, F25).
import type { TrafficView } from '@panel/shared/api/routes/traffic.ts'
import type { RouteRecord } from '../record.ts'
import type { Traffic } from './traffic.ts'

export const TRAFFIC_NOTE =
  "tx is towards the destination and rx is back from it. The figures since_boot are the kernel's own counters, which start again at zero with the server and whenever they are created again; those since_creation are summed up by the panel and survive that. Both count the same bytes: never add them together."

export async function trafficView(
  traffic: Traffic,
  { route_rule_id, route_rule_title }: Pick<RouteRecord, 'route_rule_id' | 'route_rule_title'>,
): Promise<TrafficView> {
  const { counter, total, rate, isReset } = await traffic.of(route_rule_id)
  return {
    route_rule_id,
    title: route_rule_title,
    at: traffic.lastAt === null ? null : new Date(traffic.lastAt).toISOString(),
    interval_seconds: traffic.lastSeconds,
    rx_bytes_per_second: rate?.rx_bytes ?? null,
    tx_bytes_per_second: rate?.tx_bytes ?? null,
    rx_packets_per_second: rate?.rx_packets ?? null,
    tx_packets_per_second: rate?.tx_packets ?? null,
    rx_bytes_since_boot: counter.rx_bytes,
    tx_bytes_since_boot: counter.tx_bytes,
    rx_packets_since_boot: counter.rx_packets,
    tx_packets_since_boot: counter.tx_packets,
    rx_bytes_since_creation: total.rx_bytes,
    tx_bytes_since_creation: total.tx_bytes,
    rx_packets_since_creation: total.rx_packets,
    tx_packets_since_creation: total.tx_packets,
    active_connections: traffic.connections(route_rule_id),
    new_connections_per_second: traffic.newConnectionsPerSecond(route_rule_id),
    reset_detected: isReset,
  }
}
