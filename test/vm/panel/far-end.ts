// A far server behind a GRE tunnel and a client before the relay: namespaces of the lab's machine, which is the relay
// itself, and what arrives at each of them, to the byte.
import type { Lab } from '../lab/index.ts'
import { FAR_END, farTunnel, layCables, NEAR_END } from './cables.ts'

/** Inside the tunnel, of which the panel makes the near end: where no pool of it has given an address. */
export const [NEAR_INSIDE, FAR_INSIDE] = ['172.17.200.1', '172.17.200.2']
export const SERVER_PORTS = [9000, 9001] as const

/** The panel's end of the tunnel, for a request. */
export const ENDS = {
  local_endpoint: NEAR_END,
  remote_endpoint: FAR_END,
  ikey: 7,
  okey: 7,
  addresses: [{ address: NEAR_INSIDE, prefix_length: 30 }],
}

/**
 * Segments as they are on the wire, so that both ends count the headers that the relay counts: none is sent larger, and
 * none that arrive right after each other are merged.
 */
export const layExactCables = (lab: Lab): Promise<void> =>
  layCables(lab, {
    // While the tunnel is down nothing goes another way.
    here: ['route add unreachable 172.17.200.0/30 metric 4000'],
    client: ['link set eth0 gso_max_segs 1'],
    far: [
      'link set eth0 gso_max_segs 1',
      ...farTunnel('relayed', 'gre', 7, `${FAR_INSIDE}/30`),
      ...['link set relayed gro_max_size 1 gro_ipv4_max_size 1', 'link set relayed gso_max_segs 1'],
    ],
  })

const SERVER = `const { createServer } = require('node:net')
const { createSocket } = require('node:dgram')
for (const port of ${JSON.stringify(SERVER_PORTS)}) {
  createServer((one) => one.on('error', () => one.destroy()).pipe(one)).listen({ port, backlog: 500 })
  const udp = createSocket('udp4')
  udp.on('message', (bytes, from) => udp.send(bytes, from.port, from.address, () => undefined))
  udp.bind(port)
}`

/** Sends back whatever comes to SERVER_PORTS in the namespace `far`. */
export function serveFar(lab: Lab): void {
  lab.spawn('ip', ['netns', 'exec', 'far', 'node', '-e', SERVER])
}

/** Counts all that arrives at the far end and at the client, before anything is done with it; no probe of the tunnel. */
export async function countArrivals(lab: Lab, far = [''], client = ['']): Promise<void> {
  await count(lab, 'far', 'relayed', far)
  await count(lab, 'client', 'eth0', client)
}

async function count(lab: Lab, place: 'far' | 'client', device: string, matches: readonly string[]): Promise<void> {
  const stdin = `add table ip had
add chain ip had every { type filter hook prerouting priority -450; }
add rule ip had every icmp type { echo-request, echo-reply } return
${matches.map((match) => `add rule ip had every iifname "${device}" ${match} counter\n`).join('')}`
  await lab.run('ip', ['netns', 'exec', place, 'nft', '-f', '-'], { stdin })
}

/** The bytes that arrived, by what was to match. */
export async function arrivedAt(lab: Lab, place: 'far' | 'client'): Promise<number[]> {
  const listed = await lab.run('ip', ['netns', 'exec', place, 'nft', 'list table ip had'])
  return [...listed.matchAll(/bytes (\d+)/g)].map(([, bytes]) => Number(bytes))
}
