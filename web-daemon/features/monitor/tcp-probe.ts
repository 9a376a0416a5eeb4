// Probes TCP ports of a peer that does not answer ICMP: a peer that accepts or refuses is alive (decisions.md, S4).
import { message } from '@panel/shared/messages/message.ts'
import { probeTcpPort } from '../../platform/network/port-probe.ts'
import type { ProbeTarget } from './probe-target.ts'
import type { TcpProbeResult } from './classify.ts'

/** `count`: how many probes there were before, so that each uses another port. */
export type TcpProber = (target: ProbeTarget, count: number) => Promise<TcpProbeResult>

/** Ports that a server is likely to answer on; without a filter any of them is refused. */
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
  if (result.outcome === 'answered') return { isAlive: true, detail: message('monitor.port_accepts', { port }) }
  // Only the peer itself refuses a connection; a router on the path sends another error.
  if (result.error === 'ECONNREFUSED') return { isAlive: true, detail: message('monitor.port_refuses', { port }) }
  return {
    isAlive: false,
    detail:
      result.outcome === 'silent'
        ? message('monitor.port_silent', { port })
        : message('monitor.port_unreachable', { port, error: result.error }),
  }
}
