// The traffic of a rule as it is sent: the kernel's counter and the panel's total side by side, never added together
// (decisions.md, F18, F25).
import type { TrafficView } from '@panel/shared/api/routes/traffic.ts'
import type { RouteRecord } from '../routes/record.ts'
import { message, sentences, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { Traffic } from './traffic.ts'

export const TRAFFIC_NOTE = message('note.traffic')

/**
 * `why`: null where the kernel's counters could be read. `missing`: what the totals do not have; empty where nothing.
 */
export function trafficNote(why: Message | null, missing: Message) {
  return messageFields(
    'note',
    sentences(
      TRAFFIC_NOTE,
      why && message('note.traffic_stale', { why }),
      missing.message === '' ? null : message('note.traffic_missing', { missing }),
    ),
  )
}

export async function trafficView(
  traffic: Traffic,
  { route_rule_id, route_rule_title }: Pick<RouteRecord, 'route_rule_id' | 'route_rule_title'>,
): Promise<TrafficView> {
  const { counter, total, isReset } = await traffic.of(route_rule_id)
  const rate = await traffic.rate(route_rule_id)
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
