// What the API answers about the load of the host and its traffic (interface.md, Metrics snapshot; decisions.md, M1 to M3, W3).

/** Shares of the time since the reading before, in percent. The first is of all processors together and called "cpu". */
export interface CpuReading {
  name: string
  usage_percent: number
  user_percent: number
  system_percent: number
  iowait_percent: number
  steal_percent: number
  idle_percent: number
}

/** `used_bytes` is what programs could not have: total less available. */
export interface MemoryReading {
  total_bytes: number
  used_bytes: number
  free_bytes: number
  available_bytes: number
  buffers_bytes: number
  cached_bytes: number
  used_percent: number
}

export interface SwapReading {
  configured: boolean
  total_bytes: number
  used_bytes: number
  free_bytes: number
  used_percent: number
}

/** `one`, `five` and `fifteen` are the kernel's averages over as many minutes. */
export interface LoadReading {
  one: number
  five: number
  fifteen: number
  running_tasks: number
  total_tasks: number
}

/** `available_bytes` is what an unprivileged program can still write; `used_percent` counts against used and available, as df does. */
export interface DiskReading {
  device: string
  mount_point: string
  filesystem: string
  is_read_only: boolean
  total_bytes: number
  used_bytes: number
  available_bytes: number
  used_percent: number
  inodes_total: number
  inodes_used_percent: number
  level: 'ok' | 'warn' | 'critical'
}

/** As the kernel counts since the interface was made. */
export interface InterfaceCounters {
  rx_bytes: number
  rx_packets: number
  rx_errors: number
  rx_dropped: number
  tx_bytes: number
  tx_packets: number
  tx_errors: number
  tx_dropped: number
}

/**
 * `_since_boot` is the kernel's figure, which starts anew with the host and with the interface; `_since_install` is summed up by the
 * panel over both. Rates are raw, over the time since the reading before; 0 where there was none.
 */
export interface TrafficFigures {
  rx_bytes_per_second: number
  tx_bytes_per_second: number
  rx_bytes_since_boot: number
  tx_bytes_since_boot: number
  rx_bytes_since_install: number
  tx_bytes_since_install: number
}

/** `kind` is "" where the kernel does not tell it to everybody. */
export interface InterfaceReading extends TrafficFigures {
  name: string
  index: number
  class: 'physical' | 'tunnel' | 'loopback' | 'other'
  kind: string
  mtu: number
  oper_state: string
  is_up: boolean
  counters: InterfaceCounters
}

/** Null is not known: before two readings, or where the kernel does not tell. */
export interface RouteReading {
  route_rule_id: number
  title: string
  rx_bytes_since_boot: number
  tx_bytes_since_boot: number
  rx_bytes_since_creation: number
  tx_bytes_since_creation: number
  rx_bytes_per_second: number | null
  tx_bytes_per_second: number | null
  new_connections_per_second: number | null
  active_connections: number | null
}

export interface RouteTotals {
  routes: number
  rx_bytes_per_second: number
  tx_bytes_per_second: number
  new_connections_per_second: number
  active_connections: number
}

/** Something that could not be read this time; its part is empty or zero. */
export interface MetricsError {
  part: 'cpu' | 'memory' | 'swap' | 'load' | 'disks' | 'network' | 'routes' | 'store'
  detail: string
}

/** `network.totals` are of the physical interfaces, or of all but tunnels and loopback where there is none: a tunnel's bytes pass there too. */
export interface MetricsSnapshot {
  at: string
  /** Of the sampling, as it is set; how far two readings lie apart is told by `at`. */
  interval_seconds: number
  cpu: CpuReading[]
  memory: MemoryReading
  swap: SwapReading
  load: LoadReading
  disks: DiskReading[]
  network: { interfaces: InterfaceReading[]; totals: TrafficFigures }
  routes: RouteReading[]
  route_totals: RouteTotals
  errors: MetricsError[]
}

/** A snapshot with what a sparkline needs: one item of `cpu`, no disks, and of at most 64 interfaces, physical ones first, the rates. */
export interface MetricsPoint extends Pick<MetricsSnapshot, 'at' | 'interval_seconds' | 'cpu' | 'memory' | 'swap' | 'load' | 'route_totals'> {
  network: { interfaces: Pick<InterfaceReading, 'name' | 'rx_bytes_per_second' | 'tx_bytes_per_second'>[]; totals: TrafficFigures }
  routes: Pick<RouteReading, 'route_rule_id' | 'rx_bytes_per_second' | 'tx_bytes_per_second'>[]
}

/** Newest last; `total` counts what the buffer holds, whatever the limit. */
export interface MetricsHistoryAnswer {
  points: MetricsPoint[]
  total: number
}
