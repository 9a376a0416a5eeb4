// The monitoring of real GRE tunnels: a far end that is slow, that filters ICMP, that is killed, and an interface that
// vanishes.
import assert from 'node:assert/strict'
import type { MonitorStatusAnswer } from '@panel/shared/api/monitor.ts'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CheckedDestination, RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import { becomes } from './eventually.ts'
import { startLab, type Lab, type Server } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { expect, Panel } from './panel/panel.ts'
import { tunnelRequest } from '../support/records.ts'

interface Made {
  tunnel: {
    tunnel_id: number
    interface_name: string
    ikey: number
    addresses: { address: string; peer_address: string }[]
  }
}

/** Five probes a second, judged by ten of them, so that everything takes a fifth of the time. */
const QUICK = {
  monitor_interval_seconds: 0.2,
  monitor_timeout_seconds: 0.5,
  monitor_window_size: 10,
  monitor_degraded_rtt_ms: 150,
}

describe('The monitoring of tunnels', function () {
  let lab: Lab
  let panel: Panel
  let far: Server
  let watched: Made['tunnel']
  let lost: Made['tunnel']

  const make = async (): Promise<Made['tunnel']> =>
    expect(
      await panel.operator.post<Made>(
        '/tunnels',
        tunnelRequest({
          local_endpoint: panel.server.address,
          remote_endpoint: far.address,
          ...QUICK,
        }),
      ),
      201,
    ).tunnel
  const farName = ({ interface_name }: Made['tunnel']): string => interface_name.replace('gre-a', 'gre-b')
  const answer = async (tunnel: Made['tunnel']): Promise<void> => {
    const [{ address = '', peer_address = '' } = {}] = tunnel.addresses
    await far.run('ip', ['-batch', '-'], {
      stdin: `link add ${farName(tunnel)} type gre local ${far.address} remote ${panel.server.address} key ${tunnel.ikey} ttl 255\naddr add ${peer_address} peer ${address} dev ${farName(tunnel)}\nlink set ${farName(tunnel)} up\n`,
    })
  }
  const status = async ({ tunnel_id }: Made['tunnel']): Promise<MonitorStatusAnswer> =>
    expect(await panel.operator.get<MonitorStatusAnswer>(`/tunnels/${tunnel_id}/status`), 200)
  const tunnelBecomes = (
    tunnel: Made['tunnel'],
    holds: (status: MonitorStatusAnswer) => boolean,
  ): Promise<MonitorStatusAnswer> =>
    becomes(
      () => status(tunnel),
      holds,
      ({ state, reason }) => `it stays ${state}: ${reason}`,
    )

  before(async () => {
    lab = await startLab()
    const servers = await lab.twoServers()
    await putPanel(lab)
    far = servers.b
    panel = await new Panel(servers.a).start()
    await panel.setUp()
    watched = await make()
    await answer(watched)
    lost = await make()
  })
  after(() => lab?.stop())

  it('finds one without a far end Down, never Up', async () => {
    const { events } = await tunnelBecomes(lost, ({ state }) => state === 'Down')
    assert.deepEqual(
      events.map(({ to_state }) => to_state),
      ['Down'],
    )
  })

  it('finds both Up once the other end exists, from their own addresses', async () => {
    await answer(lost)
    for (const tunnel of [watched, lost]) {
      const { source, stats } = await tunnelBecomes(tunnel, ({ state }) => state === 'Up')
      assert.equal(source, tunnel.addresses[0]?.address)
      assert.ok((stats.rtt_avg_ms ?? 1000) < 150)
    }
  })

  it('finds one Degraded whose answers are slow, and one that loses some of them', async () => {
    await far.run('tc', ['qdisc', 'add', 'dev', farName(watched), 'root', 'netem', 'delay', '250ms'])
    const { reason, stats } = await tunnelBecomes(watched, ({ state }) => state === 'Degraded')
    assert.match(reason, /ms on average, where 150 ms is degraded/)
    assert.equal(stats.lost, 0)
    await far.run('tc', ['qdisc', 'change', 'dev', farName(watched), 'root', 'netem', 'loss', '50%'])
    await tunnelBecomes(
      watched,
      ({ state, reason }) =>
        state === 'Degraded' && /% of the last 10 probes to [\d.]+ are lost, where 20 % is degraded/.test(reason),
    )
    await far.run('tc', ['qdisc', 'del', 'dev', farName(watched), 'root'])
    await tunnelBecomes(watched, ({ state }) => state === 'Up')
  })

  it('finds one Degraded and never Down whose far end filters ICMP and refuses TCP', async () => {
    await far.run('nft', ['-f', '-'], {
      stdin: `table ip lab { chain in { type filter hook input priority 0; iifname ${farName(watched)} icmp type echo-request drop\n}\n}\n`,
    })
    const { stats, events } = await tunnelBecomes(
      watched,
      ({ state, reason }) => state === 'Degraded' && /answers TCP but not ICMP/.test(reason),
    )
    assert.equal(stats.received, 0)
    const sinceUp = events
      .slice(
        0,
        events.findIndex(({ to_state }) => to_state === 'Up'),
      )
      .map(({ to_state }) => to_state)
    assert.deepEqual(sinceUp, ['Degraded'])
  })

  it('finds one Down at once whose interface vanishes, without waiting for probes', async () => {
    await panel.server.run('ip', ['link', 'del', watched.interface_name])
    const { reason } = await tunnelBecomes(watched, ({ state }) => state === 'Down')
    assert.match(reason, /^interface_missing/)
  })

  it('finds one Down, with the reason, whose far end is killed, and takes what lies behind it out of rotation', async () => {
    // Of one that was Down a minute ago the next TCP probe would have to be waited for.
    const killed = await make()
    await answer(killed)
    await tunnelBecomes(killed, ({ state }) => state === 'Up')
    const inside = killed.addresses[0]?.peer_address ?? ''
    const script = "require('node:net').createServer().listen(9000, () => console.log('listening'))"
    await far.spawn('node', ['-e', script]).says(/listening/)
    const id = await relayTo([inside, far.address])
    assert.deepEqual(await rotations(id, ({ state }) => state === 'up'), ['in', 'in'])
    await far.run('ip', ['link', 'del', farName(killed)])
    const { reason } = await tunnelBecomes(killed, ({ state }) => state === 'Down')
    assert.match(reason, /100 % of the last \d+ probes to [\d.]+ are lost/)
    const fallen = ({ address, state }: CheckedDestination): boolean => state === (address === inside ? 'down' : 'up')
    assert.deepEqual(await rotations(id, fallen), ['out', 'in'])
    const led = await panel.server.run('nft', ['list', 'map', 'inet', 'panel', 'relay_to4'])
    assert.deepEqual(new Set(led.match(/(?<= : )[\d.]+(?= \. 9000)/g)), new Set([far.address]))
  })

  /** Makes a rule whose own checks would find a destination down only after minutes. */
  async function relayTo(destinations: readonly string[]): Promise<number> {
    const rule = {
      bind_port: 8443,
      destinations: destinations.map((address) => ({ address, port: 9000 })),
      check: { kind: 'tcp', interval_ms: 1000, timeout_ms: 500, fall: 100, rise: 1 },
    }
    return expect(await panel.operator.post<ChangeRouteAnswer>('/routes', rule), 201).route.route_rule_id
  }

  /** Waits until all destinations are in the given state. */
  async function rotations(id: number, holds: (one: CheckedDestination) => boolean): Promise<string[]> {
    const look = async (): Promise<readonly CheckedDestination[]> =>
      expect(await panel.operator.get<RouteCheckAnswer>(`/routes/${id}/check`), 200).destinations
    const all = await becomes(look, (destinations) => destinations.every(holds), String(holds))
    return all.map(({ rotation }) => rotation)
  }
})
