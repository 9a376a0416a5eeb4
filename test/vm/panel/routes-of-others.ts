// Routes that an administrator has added through a tunnel, beside the panel.
import assert from 'node:assert/strict'
import type { Place } from './panel.ts'

/** A new link takes these along, whatever its other fields. */
export const ROUTES = [
  '10.50.0.0/16 dev gre-a-1',
  '10.51.0.0/16 via 172.17.1.2 dev gre-a-1 proto static metric 7',
  '10.52.0.0/16 via 172.17.1.2 dev gre-a-1 src 172.17.1.1 table 1000',
  '10.53.0.1/32 via 192.0.2.77 dev gre-a-1 onlink',
  'fd00:50::/48 dev gre-a-1 metric 9',
]
/** It has metrics, which would be lost. */
export const LOST = '10.54.0.0/16 via 172.17.1.2 dev gre-a-1 mtu 1400'

const TUNNEL = 'gre-a-1'

type Host = Pick<Place, 'run'>

/** Those that are there stay; returns what the kernel shows of them. */
export async function addRoutes(host: Host): Promise<string> {
  for (const route of ROUTES) await host.run(`ip route replace ${route}`)
  const shown = await routesThrough(host)
  assert.equal(shown.trim().split('\n').length, ROUTES.length, shown)
  return shown
}

export const routesThrough = (host: Host): Promise<string> =>
  host.run(`for family in 4 6; do ip -$family route show table all dev ${TUNNEL} | grep -v 'proto kernel' | sort; done`)
