// Knocks at a TCP port of a peer whose ICMP is silent: whoever accepts or refuses is alive (decisions.md, S4).
import { knockTcp } from '../../platform/network/port-probe.ts'
import type { Aim } from './aim.ts'
import type { KnockResult } from './classify.ts'

/** `count`: how many knocks there were before, so that another port has its turn. */
export type Knocker = (aim: Aim, count: number) => Promise<KnockResult>

/** Where a server answers if anywhere; one that filters nothing refuses at any of them. */
const PORTS = [22, 443, 80]
const TIMEOUT_MS = { least: 500, most: 5000 }

export const knockAt: Knocker = async ({ source, target, timeout_ms }, count) => {
  const port = PORTS[count % PORTS.length] ?? 22
  const heard = await knockTcp({
    address: target,
    port,
    source_address: source,
    timeout_ms: Math.min(Math.max(timeout_ms, TIMEOUT_MS.least), TIMEOUT_MS.most),
  })
  if (heard.outcome === 'answered') return { isAlive: true, detail: `port ${port} accepts` }
  // Only the far end itself refuses a connection so; a router on the way says something else.
  if (heard.error === 'ECONNREFUSED') return { isAlive: true, detail: `port ${port} refuses` }
  return {
    isAlive: false,
    detail: heard.outcome === 'silent' ? `port ${port} is silent` : `port ${port} cannot be reached (${heard.error})`,
  }
}
