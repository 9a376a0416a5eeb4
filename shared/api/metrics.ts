// What the API answers about the load of the host and its traffic (reference.md, Metrics snapshot; decisions.md, M1 to
// M3, W3).
import { nullable, strict, Type, type Static } from '../schema.ts'
import { sentence } from './base/errors.ts'
import { Amount, Count, Flag, Id, Instant, list, oneOf, shape, Text, described } from './base/shapes.ts'

/** Shares of the time since the reading before, in percent. */
export const CpuReading = shape('CpuReading', {
  name: described(Text, 'The first is of all processors together and called "cpu".'),
  usage_percent: Amount,
  user_percent: Amount,
  system_percent: Amount,
  iowait_percent: Amount,
  steal_percent: Amount,
  idle_percent: Amount,
})
export type CpuReading = Static<typeof CpuReading>

export const MemoryReading = shape('MemoryReading', {
  total_bytes: Count,
  used_bytes: described(Count, 'What programs could not have: total less available.'),
  free_bytes: Count,
  available_bytes: Count,
  buffers_bytes: Count,
  cached_bytes: Count,
  used_percent: Amount,
})
export type MemoryReading = Static<typeof MemoryReading>

export const SwapReading = shape('SwapReading', {
  configured: Flag,
  total_bytes: Count,
  used_bytes: Count,
  free_bytes: Count,
  used_percent: Amount,
})
export type SwapReading = Static<typeof SwapReading>

/** `one`, `five` and `fifteen` are the kernel's averages over as many minutes. */
export const LoadReading = shape('LoadReading', {
  one: Amount,
  five: Amount,
  fifteen: Amount,
  running_tasks: Count,
  total_tasks: Count,
})
export type LoadReading = Static<typeof LoadReading>

export const DISK_LEVELS = ['ok', 'warn', 'critical'] as const

export const DiskReading = shape('DiskReading', {
  device: Text,
  mount_point: Text,
  filesystem: Text,
  is_read_only: Flag,
  total_bytes: Count,
  used_bytes: Count,
  available_bytes: described(Count, 'What an unprivileged program can still write.'),
  used_percent: described(Amount, 'Against used and available, as df counts.'),
  inodes_total: Count,
  inodes_used_percent: Amount,
  level: oneOf(DISK_LEVELS),
})
export type DiskReading = Static<typeof DiskReading>

/** The kernel's counters since the interface was made. */
export const InterfaceCounters = strict({
  rx_bytes: Count,
  rx_packets: Count,
  rx_errors: Count,
  rx_dropped: Count,
  tx_bytes: Count,
  tx_packets: Count,
  tx_errors: Count,
  tx_dropped: Count,
})
export type InterfaceCounters = Static<typeof InterfaceCounters>

/** Rates are raw, over the time since the reading before; 0 where there was none. */
export const TrafficFigures = shape('TrafficFigures', {
  rx_bytes_per_second: Amount,
  tx_bytes_per_second: Amount,
  rx_bytes_since_boot: described(
    Count,
    "The kernel's figure, which starts again at zero with the host and with the interface.",
  ),
  tx_bytes_since_boot: Count,
  rx_bytes_since_install: described(Count, 'Summed up by the panel over both.'),
  tx_bytes_since_install: Count,
})
export type TrafficFigures = Static<typeof TrafficFigures>

export const InterfaceReading = shape('InterfaceReading', {
  ...TrafficFigures.properties,
  name: Text,
  index: Count,
  class: oneOf(['physical', 'tunnel', 'loopback', 'other']),
  kind: described(Text, '"" where sysfs does not show it.'),
  mtu: Count,
  oper_state: Text,
  is_up: Flag,
  counters: InterfaceCounters,
})
export type InterfaceReading = Static<typeof InterfaceReading>

/** Null is not known: before two readings, or where the kernel does not tell. */
export const RouteReading = shape('RouteReading', {
  route_rule_id: Id,
  title: Text,
  rx_bytes_since_boot: Count,
  tx_bytes_since_boot: Count,
  rx_bytes_since_creation: Count,
  tx_bytes_since_creation: Count,
  rx_bytes_per_second: nullable(Amount),
  tx_bytes_per_second: nullable(Amount),
  new_connections_per_second: nullable(Amount),
  active_connections: nullable(Count),
})
export type RouteReading = Static<typeof RouteReading>

export const RouteTotals = shape('RouteTotals', {
  routes: Count,
  rx_bytes_per_second: Amount,
  tx_bytes_per_second: Amount,
  new_connections_per_second: Amount,
  active_connections: Count,
})
export type RouteTotals = Static<typeof RouteTotals>

/** Something that could not be read this time; its part is empty or zero. */
export const MetricsError = strict({
  part: oneOf(['cpu', 'memory', 'swap', 'load', 'disks', 'network', 'routes', 'store']),
  ...sentence('detail'),
})
export type MetricsError = Static<typeof MetricsError>

const totals = described(
  TrafficFigures,
  'Of the physical interfaces, or of all but tunnels and loopback where there is none: the bytes of a tunnel pass there too.',
)
const always = {
  at: Instant,
  interval_seconds: described(Amount, 'Of the sampling, as it is set; the time of each reading is in its at.'),
  cpu: list(CpuReading),
  memory: MemoryReading,
  swap: SwapReading,
  load: LoadReading,
  route_totals: RouteTotals,
}

export const MetricsSnapshot = shape('Metrics', {
  ...always,
  disks: list(DiskReading),
  network: strict({ interfaces: list(InterfaceReading), totals }),
  routes: list(RouteReading),
  errors: list(MetricsError),
})
export type MetricsSnapshot = Static<typeof MetricsSnapshot>

/** What the metrics stream sends, by the name of the event. */
export const METRICS_EVENTS = { metrics: MetricsSnapshot }

const RATES = ['rx_bytes_per_second', 'tx_bytes_per_second'] as const
const exactly = (title: string) => ({ title, additionalProperties: false })

/**
 * A snapshot with what a sparkline needs: one item of `cpu`, no disks, and the rates of at most 64 interfaces, physical
 * ones first, and of at most 64 rules, where there are more the busiest.
 */
export const MetricsPoint = shape('MetricsPoint', {
  ...always,
  network: strict({
    interfaces: list(Type.Pick(InterfaceReading, ['name', ...RATES], exactly('InterfaceRates'))),
    totals,
  }),
  routes: list(Type.Pick(RouteReading, ['route_rule_id', ...RATES], exactly('RouteRates'))),
})
export type MetricsPoint = Static<typeof MetricsPoint>

export const MetricsHistoryAnswer = shape('MetricsHistory', {
  points: described(list(MetricsPoint), 'Newest last.'),
  total: described(Count, 'What the buffer holds, whatever the limit.'),
})
export type MetricsHistoryAnswer = Static<typeof MetricsHistoryAnswer>

/** An interval of the stored history, or several joined; null is not known. */
export const HostPoint = shape('HostPoint', {
  bucket_start: Instant,
  cpu_avg_percent: nullable(Amount),
  cpu_max_percent: described(nullable(Amount), 'The highest reading of the time.'),
  memory_avg_percent: nullable(Amount),
  memory_max_percent: nullable(Amount),
  disk_max_percent: described(nullable(Amount), 'Of the fullest disk that can be written.'),
  rx_bytes: described(nullable(Count), 'What went through the physical interfaces in this time.'),
  tx_bytes: nullable(Count),
  samples: described(Id, 'How many stored intervals the point stands for.'),
})
export type HostPoint = Static<typeof HostPoint>

export const HostHistoryAnswer = shape('HostHistory', {
  points: described(list(HostPoint), 'Newest last.'),
  total: described(Count, 'How many points there are in the requested time, of which the newest are returned.'),
  resolution_seconds: Amount,
})
export type HostHistoryAnswer = Static<typeof HostHistoryAnswer>
