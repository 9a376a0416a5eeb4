// The part of each snapshot that is kept for sparklines (decisions.md, M1, M3).
import type { InterfaceReading, MetricsPoint } from '@panel/shared/api/metrics.ts'
import type { HostReading } from './host-reader.ts'

/**
 * The number of interfaces whose history is kept. With a thousand tunnels the whole would take a hundred megabytes; the
 * graph of one tunnel is drawn from the stream.
 */
export const INTERFACES_KEPT = 64

export function toPoint({
  at,
  interval_seconds,
  cpu,
  memory,
  swap,
  load,
  network,
  kept,
  route_totals,
}: HostReading): MetricsPoint {
  return {
    at,
    interval_seconds,
    cpu: cpu.slice(0, 1),
    memory,
    swap,
    load,
    network: { interfaces: keptInterfaces(network.interfaces).map(toRates), totals: network.totals },
    routes: kept,
    route_totals,
  }
}

const keptInterfaces = (all: readonly InterfaceReading[]): readonly InterfaceReading[] => {
  if (all.length <= INTERFACES_KEPT) return all
  const isPhysical = (one: InterfaceReading): boolean => one.class === 'physical'
  return [...all.filter(isPhysical), ...all.filter((one) => !isPhysical(one))].slice(0, INTERFACES_KEPT)
}

const toRates = ({ name, rx_bytes_per_second, tx_bytes_per_second }: InterfaceReading) => ({
  name,
  rx_bytes_per_second,
  tx_bytes_per_second,
})

/** A point of a host with a thousand tunnels and rules is then as small as any other. */
export function hostOnly(point: MetricsPoint): MetricsPoint {
  return { ...point, network: { ...point.network, interfaces: [] }, routes: [] }
}
