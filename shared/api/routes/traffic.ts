// What the API answers about the traffic of relay rules (reference.md, traffic endpoints; decisions.md, F18 to F20,
// F23).
import { nullable, strict, type Static } from '../../schema.ts'
import { sentence } from '../base/errors.ts'
import { Amount, Count, Flag, Id, Instant, list, shape, Text, described } from '../base/shapes.ts'

/**
 * Two figures of the same bytes, never added together: `_since_boot` is the kernel's own counter, `_since_creation`
 * what the panel has summed up. `tx` is towards the destination, `rx` back from it. Null is not known: rates need two
 * samples, connections need connection tracking, new ones two looks at it.
 */
export const TrafficView = shape('RouteTraffic', {
  route_rule_id: Id,
  title: Text,
  at: nullable(Instant),
  interval_seconds: nullable(Amount),
  rx_bytes_per_second: nullable(Amount),
  tx_bytes_per_second: nullable(Amount),
  rx_packets_per_second: nullable(Amount),
  tx_packets_per_second: nullable(Amount),
  rx_bytes_since_boot: described(Count, "The kernel's own counter. It is never added to the one since creation."),
  tx_bytes_since_boot: Count,
  rx_packets_since_boot: Count,
  tx_packets_since_boot: Count,
  rx_bytes_since_creation: described(Count, 'What the panel has summed up.'),
  tx_bytes_since_creation: Count,
  rx_packets_since_creation: Count,
  tx_packets_since_creation: Count,
  active_connections: nullable(Count),
  new_connections_per_second: nullable(Amount),
  reset_detected: described(
    Flag,
    "Whether the kernel's counter has started again at zero since the rule was created, so that it stands below the panel's own sum.",
  ),
})
export type TrafficView = Static<typeof TrafficView>

export const TrafficPoint = strict({ at: Instant, rx_bytes_per_second: Amount, tx_bytes_per_second: Amount })
export type TrafficPoint = Static<typeof TrafficPoint>

export const RouteTrafficAnswer = shape('RouteTrafficNow', {
  route_rule_id: Id,
  title: Text,
  traffic: TrafficView,
  sampled: described(Flag, "Whether the kernel's counter could be read just now."),
  points: described(list(TrafficPoint), 'Of the last minutes, oldest first.'),
  ...sentence('note'),
})
export type RouteTrafficAnswer = Static<typeof RouteTrafficAnswer>

/** What moved within one interval. */
export const TrafficBucket = shape('TrafficBucket', {
  bucket_start_date: Instant,
  rx_bytes: Count,
  tx_bytes: Count,
  rx_packets: Count,
  tx_packets: Count,
  active_connections: described(nullable(Count), 'The highest number at one count; null where that is not known.'),
  new_connections: described(nullable(Count), 'Those that began; null where that is not known.'),
})
export type TrafficBucket = Static<typeof TrafficBucket>

export const TrafficHistoryAnswer = shape('TrafficHistory', {
  route_rule_id: Id,
  samples: list(TrafficBucket),
  total: Count,
  interval_seconds: Amount,
  since: Instant,
  ...sentence('note'),
})
export type TrafficHistoryAnswer = Static<typeof TrafficHistoryAnswer>

export const TrafficSummaryAnswer = shape('TrafficSummary', {
  summary: strict({
    routes: Count,
    rx_bytes_per_second: nullable(Amount),
    tx_bytes_per_second: nullable(Amount),
    rx_bytes_since_creation: Count,
    tx_bytes_since_creation: Count,
    active_connections: nullable(Count),
    at: nullable(Instant),
  }),
  routes: list(TrafficView),
  ...sentence('note'),
})
export type TrafficSummaryAnswer = Static<typeof TrafficSummaryAnswer>

export const RouteCountersAnswer = shape('RouteCounters', {
  route_rule_id: Id,
  available: Flag,
  rx_bytes_since_boot: Count,
  tx_bytes_since_boot: Count,
  rx_packets_since_boot: Count,
  tx_packets_since_boot: Count,
  rx_bytes_since_creation: Count,
  tx_bytes_since_creation: Count,
  hit: described(Flag, 'Whether a packet has ever been counted for the rule, as far as kernel and panel remember.'),
  ...sentence('source'),
  ...sentence('note'),
  checked_at: Instant,
})
export type RouteCountersAnswer = Static<typeof RouteCountersAnswer>
