// Software beside the panel that takes what a rule listens for, or the mark of its connections, on a real kernel: the
// panel says by which table and rule, and finds what no listing of nftables shows in the connections.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { ChangeRouteAnswer, RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const DOOR: Place = { protocol: 'tcp', address: RELAY, port: 1001 }
const WANTED = { bind_address: RELAY, bind_port: 1001, destination_address: ONE, destination_port: 80 }
const MARKING = `table inet vpn {
	chain marks { type filter hook forward priority 10; ct mark set 0x1; }
}
`
const TAKING = `table ip web {
	chain early { type nat hook prerouting priority -110; tcp dport 1001 dnat to ${TWO}:80; }
}
`

describe('What software beside the panel does to a relay rule', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    panel = rig.panel()
    for (const address of [ONE, TWO]) await rig.servers.calls.listen({ protocol: 'tcp', address, port: 80 })
  })
  after(() => rig.close())
  afterEach(async () => {
    await rig.client.calls.release()
    for (const { route_rule_id } of (await api<{ routes: RouteItem['route'][] }>('GET', '/routes')).routes)
      await api('DELETE', `/routes/${route_rule_id}`)
  })

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok([200, 201].includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }

  /** What a rule that is made now is warned of, and what its health and its analysis say. */
  async function readState(meanwhile: () => Promise<unknown> = async () => undefined) {
    const { route, warnings } = await api<ChangeRouteAnswer>('POST', '/routes', WANTED)
    await meanwhile()
    const path = `/routes/${route.route_rule_id}`
    const { health } = await api<RouteItem>('GET', path)
    const analysis = await api<RouteAnalysis>('POST', `${path}/diagnostics/analyze`)
    return { codes: warnings.map(({ code }) => code), health, analysis }
  }
  const talking = async (): Promise<void> => void assert.ok(await rig.client.calls.hold('open', DOOR))

  it('is named by create, health and analysis where it writes the mark of connections after the panel', async () => {
    rig.relay.nft(MARKING)
    const { codes, health, analysis } = await readState()
    rig.relay.run('nft', ['delete', 'table', 'inet', 'vpn'])
    assert.ok(codes.includes('FOREIGN_CONNECTION_MARK'), codes.join())
    const named = /inet vpn, chain marks, overwrites the mark .*ct mark set 0x0*1/
    assert.deepEqual([health.state, analysis.verdict], ['impaired', 'FORWARD_BLOCKED'])
    for (const text of [health.detail, analysis.summary]) assert.match(text, named)
  })

  it('is found by the mark of open connections where no listing shows what overwrites it', async () => {
    const { analysis } = await readState(async () => {
      await talking()
      assert.equal(await panel.remark(7), 1)
    })
    assert.deepEqual([analysis.verdict, analysis.confidence], ['FORWARD_BLOCKED', 'low'])
    assert.match(analysis.summary, /^1 open connection.* another mark than the panel set \(0x00000007\)/)
  })

  it('is named by create, health and analysis where it translates the same address and port before the panel', async () => {
    rig.relay.nft(TAKING)
    const { codes, health, analysis } = await readState(async () =>
      assert.equal((await rig.client.calls.talk(DOOR))?.server, `${TWO} 80`),
    )
    rig.relay.run('nft', ['delete', 'table', 'ip', 'web'])
    assert.ok(codes.includes('FOREIGN_DNAT'), codes.join())
    assert.deepEqual([health.state, analysis.verdict, analysis.confidence], ['impaired', 'RULE_SHADOWED', 'high'])
    for (const text of [health.detail, analysis.summary]) assert.match(text, /ip web, chain early, takes .*dport 1001/)
  })

  it('is nothing where it does neither, and the analysis is healthy', async () => {
    const { codes, health, analysis } = await readState(talking)
    assert.deepEqual([codes.filter((code) => code.startsWith('FOREIGN')), health.state], [[], 'healthy'])
    assert.equal(analysis.verdict, 'HEALTHY', analysis.summary)
  })
})
