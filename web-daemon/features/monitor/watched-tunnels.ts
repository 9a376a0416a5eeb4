// The tunnels that are monitored, by number and by the name of their link.
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { InterfaceReading } from '@panel/shared/api/metrics.ts'
import type { MonitorCounts, MonitorSnapshot } from '@panel/shared/api/monitor.ts'
import type { WatchedTunnel } from './watched-tunnel.ts'

/** The rates in the readings of the metrics. */
export type InterfaceRates = Pick<InterfaceReading, 'name' | 'rx_bytes_per_second' | 'tx_bytes_per_second'>

export class WatchedTunnels {
  readonly #byId = new Map<number, WatchedTunnel>()
  readonly #idOfName = new Map<string, number>()

  get all(): readonly WatchedTunnel[] {
    return [...this.#byId.values()]
  }

  of(tunnel_id: number): WatchedTunnel | undefined {
    return this.#byId.get(tunnel_id)
  }

  named(interface_name: string): WatchedTunnel | undefined {
    return this.#byId.get(this.#idOfName.get(interface_name) ?? 0)
  }

  set(tunnel_id: number, interface_name: string, watched: WatchedTunnel): void {
    this.#byId.set(tunnel_id, watched)
    this.#idOfName.set(interface_name, tunnel_id)
  }

  delete(tunnel_id: number): void {
    this.#byId.delete(tunnel_id)
  }

  /** False where another tunnel has taken the name already. */
  releaseName(tunnel_id: number, interface_name: string): boolean {
    return this.#idOfName.get(interface_name) === tunnel_id && this.#idOfName.delete(interface_name)
  }

  /** What went through the interfaces of the host in these seconds, up to `at` in ms. */
  addTraffic(interfaces: readonly InterfaceRates[], seconds: number, at: number): void {
    for (const { name, rx_bytes_per_second, tx_bytes_per_second } of interfaces)
      this.named(name)?.addTraffic(
        {
          rx_bytes: Math.round(rx_bytes_per_second * seconds),
          tx_bytes: Math.round(tx_bytes_per_second * seconds),
        },
        at,
      )
  }

  stateOf(tunnel_id: number): MonitorState {
    return this.of(tunnel_id)?.verdict.state ?? 'Unknown'
  }

  inState(state: MonitorState): number[] {
    return [...this.#byId].flatMap(([tunnel_id, { verdict }]) => (verdict.state === state ? [tunnel_id] : []))
  }

  counts(): MonitorCounts {
    const counts = Object.fromEntries(Object.keys(MONITOR_STATES).map((state) => [state, 0])) as MonitorCounts
    for (const { verdict } of this.#byId.values()) counts[verdict.state] += 1
    return counts
  }

  snapshots(): MonitorSnapshot[] {
    return this.all.map(monitorSnapshot).sort((a, b) => a.tunnel_id - b.tunnel_id)
  }
}

/** The snapshot of a tunnel, with both spellings that the contract requires (decisions.md, T5). */
export function monitorSnapshot(watched: WatchedTunnel): MonitorSnapshot {
  const status = watched.status()
  return { ...status, TunnelID: status.tunnel_id, State: status.state, MonitorStateID: status.monitor_state_id }
}
