// What the API answers about relay rules, for the web daemon that says it and the page that shows it (interface.md, Forwarding rules; decisions.md, F1 to F29, S7, R29).
import { nullable, strict, type Static } from '../../schema.ts'
import { Warning } from '../errors.ts'
import { ADDRESS_FAMILIES, APPLY_STATUSES, LOAD_BALANCE_MODES, NAT_MODES, ROUTE_PROTOCOLS } from '../lookups.ts'
import { CreateRouteBody } from './bodies.ts'
import {
  Amount,
  Count,
  Flag,
  Id,
  idIn,
  Instant,
  list,
  Never,
  oneOf,
  Sentence,
  shape,
  Text,
  told,
  wordIn,
} from '../shapes.ts'
import { CheckView, StepView } from '../tunnels/answers.ts'

export const DestinationView = shape('Destination', {
  route_destination_id: Id,
  address: Text,
  port: Count,
  port_range_end: nullable(Count),
  weight: Count,
  is_enabled: Flag,
  sort_order: Count,
})
export type DestinationView = Static<typeof DestinationView>

export const AllowedSourceView = shape('AllowedSource', { route_allowed_source_id: Id, cidr: Text, description: Text })
export type AllowedSourceView = Static<typeof AllowedSourceView>

export const RouteView = shape('Route', {
  route_rule_id: Id,
  route_rule_title: Sentence,
  description: Text,
  route_protocol_id: idIn(ROUTE_PROTOCOLS),
  address_family_id: idIn(ADDRESS_FAMILIES),
  bind_address: Text,
  bind_port: Count,
  bind_port_range_end: nullable(Count),
  bind_interface: nullable(Text),
  destination_address: told(Text, 'As destination_port and destination_port_range_end, of the first of destinations.'),
  destination_port: Count,
  destination_port_range_end: nullable(Count),
  destinations: list(DestinationView),
  load_balance_mode_id: idIn(LOAD_BALANCE_MODES),
  nat_mode_id: idIn(NAT_MODES),
  snat_address: nullable(Text),
  allowed_sources: list(AllowedSourceView),
  is_enabled: Flag,
  is_clamp_mss_to_pmtu: Flag,
  is_include_local_originated: Flag,
  is_logging_enabled: Flag,
  fwmark: nullable(Count),
  max_connections_per_source: nullable(Count),
  connection_rate_limit: nullable(Count),
  tunnel_id: nullable(Id),
  sort_order: Count,
  tags: list(Text),
  apply_status_id: idIn(APPLY_STATUSES),
  apply_status: wordIn(APPLY_STATUSES),
  last_applied_date: nullable(Instant),
  last_apply_error: Text,
  created_date: Instant,
  updated_date: Instant,
})
export type RouteView = Static<typeof RouteView>

const HealthState = oneOf(['healthy', 'disabled', 'pending', 'impaired', 'failed', 'inconsistent'])
export type RouteHealthState = Static<typeof HealthState>

export const RouteHealthView = shape('RouteHealth', {
  state: HealthState,
  detail: Text,
  route_rule_id: Id,
  installed: told(nullable(Flag), 'Null: the rules of the kernel cannot be read.'),
  tunnel: told(
    nullable(strict({ tunnel_id: Id, interface_name: Text, is_up: Flag, oper_state: Text })),
    'Null: the rule names none, or one that is no more.',
  ),
})
export type RouteHealthView = Static<typeof RouteHealthView>

/** How a rule is, as the panel noticed it; null is a rule that was not there, or is not any more. */
export const RouteHealthEvent = shape('RouteHealthChange', {
  route_rule_id: Id,
  title: Text,
  from: nullable(HealthState),
  to: nullable(HealthState),
  detail: Text,
})
export type RouteHealthEvent = Static<typeof RouteHealthEvent>

/**
 * Two figures of the same bytes, never added together: `_since_boot` is the kernel's own counter, `_since_creation` what the panel has summed up.
 * `tx` is towards the destination, `rx` back from it. Null is not known: rates need two samples, connections need connection tracking, new ones two looks at it.
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
  rx_bytes_since_boot: told(Count, "The kernel's own counter. It is never added to the one since creation."),
  tx_bytes_since_boot: Count,
  rx_packets_since_boot: Count,
  tx_packets_since_boot: Count,
  rx_bytes_since_creation: told(Count, 'What the panel has summed up.'),
  tx_bytes_since_creation: Count,
  rx_packets_since_creation: Count,
  tx_packets_since_creation: Count,
  active_connections: nullable(Count),
  new_connections_per_second: nullable(Amount),
  reset_detected: told(Flag, "Whether the kernel's counter had been made anew when it was last read."),
})
export type TrafficView = Static<typeof TrafficView>

export const RouteItem = shape('RouteItem', { ...TrafficView.properties, route: RouteView, health: RouteHealthView })
export type RouteItem = Static<typeof RouteItem>

export const ListRoutesAnswer = shape('Routes', {
  routes: list(RouteItem),
  total: Count,
  limit: Count,
  offset: Count,
  note: Sentence,
})
export type ListRoutesAnswer = Static<typeof ListRoutesAnswer>

export const RoutePlanView = shape('RoutePlan', {
  operation: oneOf(['none', 'create', 'update', 'delete']),
  route_rule_id: nullable(Id),
  affected_route_rule_ids: told(
    list(Id),
    'The rules that the change concerns; a rule that does not exist yet has no id and is not among them.',
  ),
  steps: list(StepView),
  rollback: list(StepView),
  files: list(strict({ kind: Text, path: Text, content: Text })),
  verification: list(strict({ name: Text, expected: Text })),
  requires_recreate: Never,
  recreate_reasons: list(Text),
  warnings: list(Warning),
})
export type RoutePlanView = Static<typeof RoutePlanView>

export const RouteVerificationView = shape('RouteVerification', {
  ok: Flag,
  checks: list(CheckView),
  failures: list(CheckView),
  backend: Text,
  rule_count: told(nullable(Count), 'The rules that the kernel holds now; null where it could not be asked.'),
})
export type RouteVerificationView = Static<typeof RouteVerificationView>

export const ChangeRouteAnswer = shape('RouteChanged', {
  route: RouteView,
  plan: RoutePlanView,
  verification: RouteVerificationView,
  warnings: list(Warning),
})
export type ChangeRouteAnswer = Static<typeof ChangeRouteAnswer>

const connections_dropped = told(
  nullable(Count),
  'Null: nobody asked for it, or it did not work, of which a warning tells.',
)

export const UpdateRouteAnswer = shape('RouteUpdated', { ...ChangeRouteAnswer.properties, connections_dropped })
export type UpdateRouteAnswer = Static<typeof UpdateRouteAnswer>

export const RouteActionAnswer = shape('RouteAction', {
  ...UpdateRouteAnswer.properties,
  action: oneOf(['enable', 'disable', 'reapply']),
})
export type RouteActionAnswer = Static<typeof RouteActionAnswer>

export const PreviewRouteAnswer = shape('RoutePreview', {
  payload: Text,
  rule_text: told(Text, 'What this rule alone adds to the table, as if it were the only one; "" where it is disabled.'),
  present_text: told(Text, 'The same of the rule as it is stored now; "" where it is disabled, or there is none yet.'),
  plan: RoutePlanView,
  resolved: told(
    CreateRouteBody,
    'The request with everything decided; posted to /routes, or patched onto the rule, it makes exactly what the payload shows.',
  ),
  warnings: list(Warning),
  note: Sentence,
})
export type PreviewRouteAnswer = Static<typeof PreviewRouteAnswer>

export const DeleteRouteAnswer = shape('RouteDeleted', {
  route_rule_id: Id,
  title: Text,
  plan: RoutePlanView,
  verification: RouteVerificationView,
  connections_dropped,
  forwarding_can_be_reverted: Flag,
  warnings: list(Warning),
  note: Text,
})
export type DeleteRouteAnswer = Static<typeof DeleteRouteAnswer>

export const DuplicateRouteAnswer = shape('RouteDuplicated', { route: RouteView, note: Sentence })
export type DuplicateRouteAnswer = Static<typeof DuplicateRouteAnswer>

export const ReorderAnswer = shape('RoutesReordered', {
  action: oneOf(['reorder']),
  routes: list(RouteView),
  note: Text,
})
export type ReorderAnswer = Static<typeof ReorderAnswer>

export const ApplyAllAnswer = shape('RoutesApplied', {
  action: oneOf(['apply_all']),
  rules_applied: Count,
  verification: RouteVerificationView,
  note: Text,
})
export type ApplyAllAnswer = Static<typeof ApplyAllAnswer>

export const DestinationsAnswer = shape('Destinations', { destinations: list(DestinationView), total: Count })
export type DestinationsAnswer = Static<typeof DestinationsAnswer>

export const AllowedSourcesAnswer = shape('AllowedSources', {
  allowed_sources: list(AllowedSourceView),
  total: Count,
  note: Text,
})
export type AllowedSourcesAnswer = Static<typeof AllowedSourcesAnswer>

export const ChangeDestinationsAnswer = shape('DestinationsChanged', {
  ...UpdateRouteAnswer.properties,
  ...DestinationsAnswer.properties,
})
export type ChangeDestinationsAnswer = Static<typeof ChangeDestinationsAnswer>

export const ChangeAllowedSourcesAnswer = shape('AllowedSourcesChanged', {
  ...UpdateRouteAnswer.properties,
  ...AllowedSourcesAnswer.properties,
})
export type ChangeAllowedSourcesAnswer = Static<typeof ChangeAllowedSourcesAnswer>

export const TrafficPoint = strict({ at: Instant, rx_bytes_per_second: Amount, tx_bytes_per_second: Amount })
export type TrafficPoint = Static<typeof TrafficPoint>

export const RouteTrafficAnswer = shape('RouteTrafficNow', {
  route_rule_id: Id,
  title: Text,
  traffic: TrafficView,
  sampled: told(Flag, "Whether the kernel's counter could be read just now."),
  points: told(list(TrafficPoint), 'Of the last minutes, oldest first.'),
  note: Sentence,
})
export type RouteTrafficAnswer = Static<typeof RouteTrafficAnswer>

/** What moved within one interval. */
export const TrafficBucket = shape('TrafficBucket', {
  bucket_start_date: Instant,
  rx_bytes: Count,
  tx_bytes: Count,
  rx_packets: Count,
  tx_packets: Count,
  active_connections: told(nullable(Count), 'The most at one look; null where that is not known.'),
  new_connections: told(nullable(Count), 'Those that began; null where that is not known.'),
})
export type TrafficBucket = Static<typeof TrafficBucket>

export const TrafficHistoryAnswer = shape('TrafficHistory', {
  route_rule_id: Id,
  samples: list(TrafficBucket),
  total: Count,
  interval_seconds: Amount,
  since: Instant,
  note: Sentence,
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
  note: Sentence,
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
  hit: told(Flag, 'Whether a packet has ever been counted for the rule, as far as kernel and panel remember.'),
  source: Sentence,
  note: Sentence,
  checked_at: Instant,
})
export type RouteCountersAnswer = Static<typeof RouteCountersAnswer>
