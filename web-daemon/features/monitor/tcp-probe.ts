// Knocks at a TCP port of a peer whose ICMP is silent: whoever accepts or refuses is alive (decisions.md, S4).
import { probeTcpPort } from '../../platform/network/port-probe.ts'
import type { ProbeTarget } from './probe-target.ts'
import type { TcpProbeResult } from './classify.ts'

/** `count`: how many knocks there were before, so that another port has its turn. */
export type TcpProber = (target: ProbeTarget, count: number) => Promise<TcpProbeResult>

/** Where a server answers if anywhere; one that filters nothing refuses at any of them. */
const PORTS = [22, 443, 80]
const TIMEOUT_MS = { least: 500, most: 5000 }

export const probeTcp: TcpProber = async ({ source, target, timeout_ms }, count) => {
  const port = PORTS[count % PORTS.length] ?? 22
  const result = await probeTcpPort({
    address: target,
    port,
    source_address: source,
    timeout_ms: Math.min(Math.max(timeout_ms, TIMEOUT_MS.least), TIMEOUT_MS.most),
  })
  if (result.outcome === 'answered') return { isAlive: true, detail: `port ${port} accepts` }
  // Only the far end itself refuses a connection so; a router on the way says something else.
  if (result.error === 'ECONNREFUSED') return { isAlive: true, detail: `port ${port} refuses` }
  return {
    isAlive: false,
    detail: result.outcome === 'silent' ? `port ${port} is silent` : `port ${port} cannot be reached (${result.error})`,
  }
}
