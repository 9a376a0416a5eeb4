// A server as an operator has it on a bad day: tunnels of which one is gone and one was changed by hand, rules that
// relay and rules that died with their tunnel, traffic, connections, and a day of history.
import { message } from '@panel/shared/messages/message.ts'
import type { RunCheck } from '@panel/web-daemon/features/failover/checker.ts'
import type { RelayConnection } from '@panel/shared/ruleset/connection.ts'
import type { RouteTrafficAnswer } from '@panel/shared/api/routes/traffic.ts'
import { eventually } from '../../support/eventually.ts'
import type { Client } from '../../api/support/client.ts'
import { createNetwork } from '../../api/support/networks.ts'
import { fakeRoute } from '../../support/fake-routes.ts'
import { plantByHand } from '../../api/support/reconcile.ts'
import { giveTunnels, giveWebhook, startHost, type Host } from '../support/host.ts'
import { giveHistory, giveHostHistory, giveTraffic } from '../support/past.ts'
import { startMachine } from './machine.ts'

export interface World {
  readonly host: Host
  /** Null of a server that nobody has set up. */
  readonly client: Client | null
  readonly close: () => Promise<void>
}
export type FullWorld = World & { readonly client: Client }

const RULES = [
  { route_rule_title: 'Web shop', bind_address: '0.0.0.0', bind_port: 443, destination_port: 443, tags: ['shop'] },
  { route_rule_title: 'Shadowed by the web shop', bind_port: 443, destination_port: 8443 },
  {
    route_rule_title: 'Game servers',
    route_protocol_id: 20,
    bind_port: 27000,
    bind_port_range_end: 27010,
    destination_port: 27000,
  },
  { route_rule_title: 'Chat over Frankfurt', bind_port: 6697, destination_address: '172.17.2.2', tunnel_id: 2 },
  { route_rule_title: 'SSH over Frankfurt', bind_port: 2222, destination_address: '172.17.2.2', tunnel_id: 2 },
  {
    route_rule_title: 'Mail to three servers',
    bind_port: 25,
    load_balance_mode_id: 20,
    destinations: [2, 3, 4].map((last) => ({ address: `172.17.1.${last}`, port: 2525 })),
    allowed_sources: [{ cidr: '198.51.100.0/24' }, { cidr: '203.0.113.0/24' }],
  },
  { route_rule_title: 'Names', route_protocol_id: 20, bind_port: 5353, destination_port: 53, is_enabled: false },
]

/** Full: with tunnels, rules and a past. New: without an account. */
export async function startWorld(state: 'full' | 'empty' | 'new'): Promise<World> {
  const machine = startMachine()
  const host = await startHost({
    failover: { run: checkAsIfThere, random: () => 0 },
    metrics: { host: machine.host },
  })
  // As over the sea: late, and now and then not at all.
  host.kernel.icmp.answer = ({ sequence, target_address }) =>
    sequence % 53 === 7 ? null : { after_ms: (target_address.endsWith('.2') ? 24 : 61) + ((sequence * 7) % 11) }
  const client = state === 'new' ? null : await host.setUp()
  await client?.put('/settings', {
    'display.server_name': 'Hamburg',
    'display.server_colour': 'green',
    'monitor.interval_seconds': 0.5,
    'monitor.window_size': 10,
  })
  if (client && state === 'full') await fill(host, client)
  await host.monitor.start()
  await host.metrics.start()
  host.traffic.start()
  // The first count of its own comes after an interval.
  await host.traffic.count()
  await look(host)
  if (state === 'full') await untilUp(host)
  const ticking = setInterval(() => {
    machine.tick()
    tick(host)
  }, 1000)
  if (client && state === 'full') await untilRelaying(client)
  const close = async (): Promise<void> => {
    clearInterval(ticking)
    await host.traffic.stop()
    await host.close()
  }
  return { host, client, close }
}

/** One of the three mail servers refuses. */
const checkAsIfThere: RunCheck = async ({ address, port }) =>
  address.endsWith('.3')
    ? { outcome: 'refused', reason: message('check.refuses', { port }), latency_ms: null }
    : { outcome: 'success', reason: message('check.accepts', { port }), latency_ms: 24.3 }

/** A tunnel is Unknown until enough probes were answered. */
async function untilUp({ monitor }: Host): Promise<void> {
  const isUp = (): boolean => monitor.summary().tunnels.some(({ state }) => state === 'Up')
  await eventually(isUp, 'a tunnel is up')
}

/** A rate takes two readings. */
async function untilRelaying(client: Client): Promise<void> {
  const rate = async (): Promise<number> =>
    (await client.get<RouteTrafficAnswer>('/routes/1/traffic')).body.traffic.rx_bytes_per_second ?? 0
  await eventually(async () => (await rate()) > 0, 'a rate')
}

export async function look({ watch, routeWatch, monitor, incidents }: Host): Promise<void> {
  await watch.pass('event')
  await routeWatch.pass('event')
  await monitor.settled()
  await incidents.look()
}

/** One over two tunnels, of which one is away, and one that rests. */
const NETWORKS = [
  {
    network_title: 'Game servers in Frankfurt',
    note: 'Over both providers',
    destination: '10.50.0.0/16',
    paths: [
      { tunnel_id: 1, preference: 10, weight: 1 },
      { tunnel_id: 2, preference: 20, weight: 1 },
    ],
    own_addresses: ['10.66.0.1'],
  },
  {
    network_title: 'Backup site',
    destination: '10.60.0.0/24',
    paths: [{ tunnel_id: 1 }, { tunnel_id: 2 }],
    is_enabled: false,
  },
] as const

async function fill(host: Host, client: Client): Promise<void> {
  await giveTunnels(host, client)
  host.kernel.hostRoutes.push(fakeRoute('172.17.1.0/24', 'gre-a-1'))
  await host.kernel.rulesets.followSources(await host.kernel.links.sources())
  await giveWebhook(client)
  for (const rule of RULES) {
    const to = 'destinations' in rule ? {} : { destination_address: '172.17.1.2' }
    const { status, text } = await client.post('/routes', { bind_address: '192.0.2.1', ...to, ...rule })
    if (status !== 201) throw new Error(`${rule.route_rule_title} was refused: ${text}`)
  }
  for (const network of NETWORKS) {
    const { status, text } = await createNetwork(client, network)
    if (status !== 201) throw new Error(`${network.network_title} was refused: ${text}`)
  }
  plantByHand(host.kernel, 'gre-old-7', {}, { is_up: true })
  changeByHand(host)
  for (const id of [1, 2, 3]) await giveHistory(host, id)
  await giveHostHistory(host)
  for (const id of [1, 3]) await giveTraffic(host, id)
  host.kernel.connections.open = Array.from({ length: 48 }, (_, n) => connection(n))
}

/** Sets another MTU by hand. */
function changeByHand({ kernel }: Host): void {
  const link = kernel.held.get('long-name-gre-6')
  if (!link?.state) throw new Error('the tunnel that is changed by hand is not there')
  link.state = { ...link.state, config: { ...link.state.config, mtu: 1400 } }
}

const connection = (n: number): RelayConnection => ({
  route_rule_id: n % 3 === 0 ? 4 : 1,
  protocol: 'tcp',
  source_address: `198.51.100.${10 + n}`,
  source_port: 40_000 + 7 * n,
  bind_address: '192.0.2.1',
  bind_port: n % 3 === 0 ? 6697 : 443,
  destination_address: n % 3 === 0 ? '172.17.2.2' : '172.17.1.2',
  destination_port: n % 3 === 0 ? 6697 : 443,
  state: n % 9 === 4 ? 'TIME_WAIT' : 'ESTABLISHED',
  age_seconds: 30 + 97 * n,
  timeout_seconds: 431_999 - n,
  tx_bytes: 12_000 * (n + 1),
  tx_packets: 90 * (n + 1),
  rx_bytes: 310_000 * (n + 1),
  rx_packets: 240 * (n + 1),
  mark: 0,
})

/** What a second relays. */
function tick({ kernel }: Host): void {
  for (const [id, share] of [
    [1, 1],
    [3, 0.2],
  ] as const)
    if (kernel.rulesets.counted.has(id)) {
      const packets = Math.round(share * (2400 + 700 * Math.sin(Date.now() / 9000)))
      kernel.rulesets.relay(id, {
        tx_bytes: packets * 90,
        tx_packets: packets,
        rx_bytes: packets * 1300,
        rx_packets: packets,
      })
    }
}
