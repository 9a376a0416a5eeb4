// Networks over real GRE, from the API to the kernel: two servers with two tunnels between them reach each other at
// addresses that stand on no tunnel, and what is under way outlives one of the tunnels.
import assert from 'node:assert/strict'
import type { ChangeNetworkAnswer, NetworkView } from '@panel/shared/api/networks/answers.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { FromPairingCodeAnswer, PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import { becomes } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { echoFlows, openFlows } from './panel/flows.ts'
import { expect, Panel } from './panel/panel.ts'

const OWN = { a: '10.66.0.2', b: '10.66.0.1' } as const
const PORT = 7000
const PATHS = [
  { tunnel_id: 1, preference: 10 },
  { tunnel_id: 2, preference: 20 },
]

const FLOWS = 1000
const QUICK_MONITOR = { 'monitor.interval_seconds': 0.5, 'monitor.window_size': 5, 'monitor.tcp_knock_enabled': false }
/** Drops what arrives by the first tunnel; the sender does not see it. */
const SILENCE =
  'table inet silence { chain in { type filter hook prerouting priority -400; iifname { "gre-a-1", "gre-b-1" } drop\n }\n}\n'

describe('Networks over two tunnels of real GRE', function () {
  let lab: Lab
  let a: Panel
  let b: Panel

  before(async () => {
    lab = await startLab({ kind: 'user-mode' })
    const servers = await lab.twoServers()
    await putPanel(lab)
    ;[a, b] = await Promise.all([new Panel(servers.a).start(), new Panel(servers.b).start()])
    await Promise.all([a.setUp(), b.setUp()])
    for (const tunnel_id of [1, 2]) await pair(tunnel_id)
  })
  after(() => lab?.stop())

  async function pair(tunnel_id: number): Promise<void> {
    const ends = { local_endpoint: a.server.address, remote_endpoint: b.server.address }
    expect(await a.operator.post<CreateTunnelAnswer>('/tunnels', ends), 201)
    const { pairing_code } = expect(await a.operator.get<PairingCodeAnswer>(`/tunnels/${tunnel_id}/pairing-code`), 200)
    const { tunnel } = expect(
      await b.operator.post<FromPairingCodeAnswer>('/tunnels/from-pairing-code', { pairing_code }),
      200,
    )
    expect(await b.operator.post<CreateTunnelAnswer>('/tunnels', tunnel), 201)
  }
  const routeOf = (panel: Panel, to: string): Promise<string> =>
    panel.server.run('ip', ['route', 'show', to, 'proto', '84'])
  const statesOf = async (panel: Panel): Promise<string[]> =>
    expect(await panel.operator.get<NetworkView>('/networks/1'), 200).paths.map(({ state }) => state)
  const move = async (way: 'take-out' | 'put-back', tunnel_id: number): Promise<void> => {
    for (const panel of [a, b]) expect(await panel.operator.post(`/networks/1/paths/${tunnel_id}/${way}`), 200)
  }

  it('are made by both ends, each with its own address, and lead by the path that is preferred', async () => {
    for (const [panel, own, other] of [
      [a, OWN.a, OWN.b],
      [b, OWN.b, OWN.a],
    ] as const) {
      const { network, verification } = expect(
        await panel.operator.post<ChangeNetworkAnswer>('/networks', {
          destination: other,
          paths: PATHS,
          own_addresses: [own],
          source_address: own,
        }),
        201,
      )
      assert.deepEqual([network.destination, network.lacks, verification.ok], [`${other}/32`, [], true])
      assert.match(await routeOf(panel, other), new RegExp(`^${other} dev gre-[ab]-1 .*src ${own} metric 50`))
      assert.deepEqual(await statesOf(panel), ['carries', 'standby'])
    }
    await a.server.run('ping', ['-c', '1', '-W', '20', OWN.b])
  })

  it('keep a connection while its path is taken out at both ends, and while the link of it is gone', async () => {
    b.server.spawn('socat', ['-t', '600', `TCP4-LISTEN:${PORT},bind=${OWN.b},fork`, 'PIPE'])
    await becomes(
      () => b.server.run('ss', ['-Hltn']),
      (listening) => listening.includes(`${OWN.b}:${PORT}`),
      'the echo listens',
    )
    const client = a.server.spawn('socat', ['-t', '600', '-', `TCP4:${OWN.b}:${PORT}`])
    const echoes = async (word: string): Promise<void> => {
      await client.write(`${word}\n`)
      await client.says(new RegExp(`${word}\n$`))
    }
    await echoes('before')
    await move('take-out', 1)
    assert.deepEqual(
      [await statesOf(a), await statesOf(b)],
      [
        ['out', 'carries'],
        ['out', 'carries'],
      ],
    )
    assert.match(await routeOf(a, OWN.b), / dev gre-a-2 /)
    await a.server.run('ip', ['link', 'delete', 'gre-a-1'])
    await echoes('meanwhile')
    expect(await a.operator.post('/tunnels/1/reapply'), 200)
    await move('put-back', 1)
    // The monitor of A saw the link gone, and lets the tunnel be well for a while.
    await becomes(
      () => routeOf(a, OWN.b),
      (route) => route.includes(' dev gre-a-1 '),
      'A comes back to the path',
    )
    await echoes('after')
    client.kill()
    await client.exited
  })

  it('leave a tunnel that is disabled, and come back to it, while the other end has the path taken out', async () => {
    expect(await b.operator.post('/networks/1/paths/1/take-out'), 200)
    expect(await a.operator.post('/tunnels/1/down'), 200)
    assert.match(await routeOf(a, OWN.b), / dev gre-a-2 /)
    await a.server.run('ping', ['-c', '1', '-W', '20', OWN.b])
    expect(await a.operator.post('/tunnels/1/up'), 200)
    assert.match(await routeOf(a, OWN.b), / dev gre-a-1 /)
    expect(await b.operator.post('/networks/1/paths/1/put-back'), 200)
    await a.server.run('ping', ['-c', '1', '-W', '20', OWN.b])
  })

  it('leave a tunnel that dies unseen at both ends by themselves, lose none of 1,000 connections, and come back to it', async () => {
    await echoFlows(b.server, OWN.b, PORT + 1)
    const flows = await openFlows(a.server, OWN.b, PORT + 1, FLOWS)
    for (const panel of [a, b]) expect(await panel.operator.put('/settings', QUICK_MONITOR), 200)
    for (const { server } of [a, b]) await server.run('nft', ['-f', '-'], { stdin: SILENCE })
    for (const panel of [a, b])
      await becomes(
        () => statesOf(panel),
        ([first]) => first === 'out',
        `${panel.server.name} leaves the path`,
      )
    assert.match(await routeOf(a, OWN.b), / dev gre-a-2 /)
    assert.deepEqual(await flows.end(), { flows: FLOWS, over: 0 })
    for (const { server } of [a, b]) await server.run('nft', ['delete', 'table', 'inet', 'silence'])
    for (const panel of [a, b])
      await becomes(
        () => statesOf(panel),
        ([first]) => first === 'carries',
        `${panel.server.name} comes back to the path`,
      )
  })

  it('are drift where their route was taken away, which a PATCH without fields mends', async () => {
    await a.server.run('ip', ['route', 'delete', OWN.b, 'proto', '84'])
    const found = async () => expect(await a.operator.get<ReconcileAnswer>('/reconcile'), 200).networks
    assert.deepEqual(
      (await found()).map(({ status, diffs }) => [status, diffs.map(({ field }) => field)]),
      [['Drifted', ['lacks']]],
    )
    expect(await a.operator.patch('/networks/1', {}), 200)
    assert.deepEqual(
      (await found()).map(({ status }) => status),
      ['InSync'],
    )
  })

  it('are put in again by a helper that starts, and by it when their link is made again', async () => {
    await a.server.run('ip', ['route', 'delete', OWN.b, 'proto', '84'])
    await a.replaceHelper()
    assert.match(await routeOf(a, OWN.b), / dev gre-a-1 /)
    await a.server.run('ip', ['link', 'delete', 'gre-a-1'])
    expect(await a.operator.post('/tunnels/1/reapply'), 200)
    await becomes(
      () => routeOf(a, OWN.b),
      (route) => route.includes('dev gre-a-1'),
      'the route is there again',
    )
  })

  it('go with their route and their own address when they are deleted', async () => {
    expect(await a.operator.delete('/networks/1'), 200)
    assert.equal(await routeOf(a, OWN.b), '')
    assert.doesNotMatch(
      await a.server.run('ip', ['address', 'show', 'dev', 'lo']),
      new RegExp(OWN.a.replaceAll('.', '\\.')),
    )
  })
})
