// The rules of other software through HTTP: they are listed, warned of, and found where they stop a relay
// (decisions.md, F24, F27, S11).
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import type { Client } from './support/client.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel } from './support/tunnels.ts'
import {
  actOnRoute,
  createRoute,
  enableForwarding,
  forwarding,
  getRoute,
  patchRoute,
  warningCodes,
} from './support/routes.ts'

const CHAIN = {
  chain: { family: 'inet', table: 'filter', name: 'forward', type: 'filter', hook: 'forward', prio: 0, policy: 'drop' },
}
const NAT = {
  chain: { family: 'ip', table: 'nat', name: 'DOCKER', type: 'nat', hook: 'prerouting', prio: -100, policy: 'accept' },
}
const dport = (port: number): object => ({
  match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: port },
})
const listing = (...objects: object[]): string => JSON.stringify({ nftables: objects })
const rule = (table: string, chain: string, ...expr: object[]): object => ({
  rule: { family: table === 'nat' ? 'ip' : 'inet', table, chain, handle: 1, expr },
})
const code = 'FOREIGN_FORWARD_POLICY_DROP'

describe('The rules of other software', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const hold = (...objects: object[]): void => void (panel.kernel.foreign = readForeign(listing(...objects), ''))
  const analyze = async (): Promise<RouteAnalysis> =>
    (await client.post<RouteAnalysis>('/routes/1/diagnostics/analyze')).body

  it('are listed with IP forwarding, under the names of the programs that put them there', async () => {
    hold(CHAIN, NAT, rule('nat', 'DOCKER', dport(8080), { dnat: { addr: '172.17.0.2' } }))
    const { foreign } = (await forwarding(client)).body
    assert.deepEqual(
      [foreign.readable, foreign.managers, foreign.total, foreign.detail],
      [true, ['docker', 'nftables'], 1, ''],
    )
    const [{ text, ...rest } = { text: '' }] = foreign.rules
    assert.match(text, /dport 8080/)
    assert.deepEqual(rest, {
      table: 'ip nat',
      chain: 'DOCKER',
      protocol: 'tcp',
      address: '',
      port: 8080,
      port_end: null,
      manager: 'docker',
    })
  })

  it('that certainly drop what a rule relays are in its health, with what lets it through, until they are gone', async () => {
    await createRoute(client)
    const health = async () => (await getRoute(client, 1)).body.health
    const analyzed = async (): Promise<string> => (await analyze()).verdict
    hold(CHAIN)
    const { state, severity, detail, causes } = await health()
    assert.deepEqual([state, severity, await analyzed()], ['impaired', 'down', 'FORWARD_BLOCKED'])
    assert.match(detail, /inet filter, chain forward, drops what the rule relays: policy drop\.$/)
    const [{ code, hop, effect, remedies } = assert.fail('There is no cause')] = causes
    assert.deepEqual([code, hop, effect], ['FOREIGN_DROP', 'server', 'stops'])
    for (const { commands } of remedies)
      assert.match(commands.join(), /^nft insert rule inet filter forward .* accept$/, 'a line to run as it is')
    hold(CHAIN, rule('filter', 'forward', { xt: null }, { accept: null }))
    assert.equal((await health()).state, 'healthy')
    hold()
    assert.equal((await health()).state, 'healthy')
  })

  it('make no verdict certain while they are not all known', async () => {
    await createRoute(client)
    panel.kernel.connections.open.push(fakeConnection())
    for (const is of [{ is_whole: false }, { is_readable: false, detail: 'nft is not installed' }]) {
      Object.assign(panel.kernel.foreign, is)
      assert.equal((await analyze()).confidence, 'low')
      await actOnRoute(client, 1, 'disable')
      const { verdict, confidence } = await analyze()
      assert.deepEqual([verdict, confidence], ['RULE_DISABLED', 'low'])
      await actOnRoute(client, 1, 'enable')
      hold()
    }
    await actOnRoute(client, 1, 'disable')
    assert.equal((await analyze()).confidence, 'high')
  })

  it('are warned of by create, update and enable where a forward chain drops what nothing lets through', async () => {
    hold(CHAIN)
    const made = await createRoute(client)
    assert.deepEqual([made.status, warningCodes(made).includes(code)], [201, true])
    assert.match(
      made.body.warnings.find((one) => one.code === code)?.message ?? '',
      /inet filter, chain forward, drops .* policy drop\. Let it through: nft insert rule/,
    )
    const destinations = Array.from({ length: 6 }, (_, at) => ({ address: `10.9.0.${at + 2}`, port: 80 }))
    const { warnings } = (await patchRoute(client, 1, { destinations })).body
    assert.match(
      warnings.find((one) => one.code === code)?.message ?? '',
      /ct state established,related accept .* The analysis of the rule lists 3 more\. The panel leaves/,
    )
    assert.equal((await analyze()).suggested_fix.filter((fix) => fix.includes('nft insert rule')).length, 7)
    assert.ok(
      warningCodes(await patchRoute(client, 1, { bind_port: 444, destinations: destinations.slice(0, 1) })).includes(
        code,
      ),
    )
    await actOnRoute(client, 1, 'disable')
    assert.ok(warningCodes(await actOnRoute(client, 1, 'enable')).includes(code))
    hold(
      CHAIN,
      rule(
        'filter',
        'forward',
        { match: { op: 'in', left: { ct: { key: 'status' } }, right: 'dnat' } },
        { accept: null },
      ),
    )
    assert.ok(!warningCodes(await patchRoute(client, 1, { bind_port: 445 })).includes(code))
  })

  it('that translate what a rule listens for before it does are named by create, health and analysis', async () => {
    const early = { chain: { ...NAT.chain, prio: -110 } }
    hold(early, rule('nat', 'DOCKER', dport(443), { dnat: { addr: '172.17.0.2' } }))
    const made = await createRoute(client, { bind_port: 443 })
    const [warning] = made.body.warnings.filter((one) => one.code === 'FOREIGN_DNAT')
    assert.match(warning?.message ?? '', /Table ip nat, chain DOCKER, takes what the rule listens for/)
    await enableForwarding(client)
    const { health } = (await getRoute(client, 1)).body
    assert.deepEqual([health.state, health.detail], ['impaired', warning?.message])
    const { verdict, confidence, summary } = await analyze()
    assert.deepEqual([verdict, confidence, summary], ['RULE_SHADOWED', 'high', warning?.message])
  })

  it('that may translate it leave the rule healthy, and the analysis in doubt', async () => {
    await createRoute(client, { bind_port: 443 })
    await enableForwarding(client)
    hold(NAT, rule('nat', 'DOCKER', dport(443), { dnat: { addr: '172.17.0.2' } }))
    const { health } = (await getRoute(client, 1)).body
    assert.equal(health.state, 'healthy')
    assert.match(health.detail, /matches what is stored\. Table ip nat, chain DOCKER, may take/)
    const { evidence } = await analyze()
    assert.match(evidence.find(({ name }) => name === 'foreign_dnat')?.detail ?? '', /may take/)
  })

  it('that write the mark of connections are named: those that take the panel’s away, and those that lose theirs', async () => {
    const mark = { mangle: { key: { ct: { key: 'mark' } }, value: 1 } }
    const ACCEPT = { chain: { ...CHAIN.chain, policy: 'accept' } }
    hold(ACCEPT, rule('filter', 'forward', mark))
    const made = await createRoute(client, { bind_port: 443 })
    assert.ok(warningCodes(made).includes('FOREIGN_CONNECTION_MARK'))
    await enableForwarding(client)
    const { health } = (await getRoute(client, 1)).body
    assert.equal(health.state, 'impaired')
    assert.match(health.detail, /inet filter, chain forward, overwrites the mark .* neither masqueraded nor counted/)
    const { verdict, confidence, suggested_fix } = await analyze()
    assert.deepEqual([verdict, confidence], ['FORWARD_BLOCKED', 'low'])
    assert.match(suggested_fix[0] ?? '', /ct mark 0x0/)
    const early = { chain: { ...CHAIN.chain, hook: 'prerouting', prio: -150, policy: 'accept' } }
    const fresh = { match: { op: 'in', left: { ct: { key: 'state' } }, right: 'new' } }
    hold(early, rule('filter', 'forward', fresh, mark))
    const { warnings } = (await patchRoute(client, 1, { bind_port: 444 })).body
    assert.match(
      warnings.find((one) => one.code === 'FOREIGN_CONNECTION_MARK')?.message ?? '',
      /The panel overwrites the connection mark that table inet filter/,
    )
    assert.equal((await getRoute(client, 1)).body.health.state, 'healthy')
  })

  it('that no listing shows are found by the mark of the open connections of a rule, and so are those nobody can list', async () => {
    await createRoute(client, { bind_port: 443, destination_address: '10.0.0.5', destination_port: 8443 })
    await enableForwarding(client)
    const flow = {
      protocol: 'tcp',
      bind_address: '192.0.2.1',
      bind_port: 443,
      destination_address: '10.0.0.5',
      destination_port: 8443,
      mark: 7,
    } as const
    const elsewhere = [
      { ...flow, protocol: 'udp' as const },
      { ...flow, bind_port: 444 },
      { ...flow, destination_port: 8444 },
      { ...flow, destination_address: '10.0.0.6' },
    ]
    panel.kernel.connections.unmarkedFlows = elsewhere
    assert.notEqual((await analyze()).verdict, 'FORWARD_BLOCKED')
    panel.kernel.connections.unmarkedFlows = [flow, { ...flow, mark: 0x10 }, { ...flow, mark: 0x10 }]
    const { verdict, confidence, summary, suggested_fix } = await analyze()
    assert.deepEqual([verdict, confidence], ['FORWARD_BLOCKED', 'low'])
    assert.match(summary, /^3 open connections .* another mark than the panel set \(0x00000010, 0x00000007\)/)
    assert.match(suggested_fix[0] ?? '', /^Find what sets connection marks/)
    panel.kernel.connections.unreadable = 'no permission'
    const { evidence } = await analyze()
    const mark = evidence.find(({ name }) => name === 'connection_mark')
    assert.match(mark?.detail ?? '', /whether something else does is not known: no permission/)
    assert.equal(mark?.data['unmarked_connections'], null)
    panel.kernel.connections.unreadable = ''
  })

  it('that drop a relay are the verdict FORWARD_BLOCKED: table, chain, rule and remedy', async () => {
    await createRoute(client)
    await enableForwarding(client)
    hold(CHAIN)
    const { verdict, evidence, suggested_fix, confidence } = await analyze()
    const block = evidence.find(({ name }) => name === 'foreign_rules')?.data['block'] as Record<string, unknown>
    assert.deepEqual(
      [verdict, confidence, block['table'], block['chain'], block['text']],
      ['FORWARD_BLOCKED', 'high', 'inet filter', 'forward', 'policy drop'],
    )
    assert.match(
      suggested_fix[0] ?? '',
      /nft insert rule inet filter forward ip daddr 10\.9\.0\.2 tcp dport 8443 accept/,
    )
    assert.match(suggested_fix[1] ?? '', /nft insert rule inet filter forward ct state established,related accept/)
  })

  it('that drop what leaves through a tunnel stop a rule whose packets go there, whatever it names', async () => {
    await createTunnel(client)
    const ACCEPT = { chain: { ...CHAIN.chain, policy: 'accept' } }
    const oif = { match: { op: '==', left: { meta: { key: 'oifname' } }, right: 'gre-a-1' } }
    hold(ACCEPT, rule('filter', 'forward', oif, { drop: null }))
    await createRoute(client, { destination_address: '172.17.1.2', tunnel_id: null })
    await enableForwarding(client)
    assert.equal((await analyze()).verdict, 'FORWARD_BLOCKED')
  })

  it('that let a relay through and drop its replies are the verdict FORWARD_BLOCKED, with what lets these through', async () => {
    await createRoute(client)
    await enableForwarding(client)
    hold(
      CHAIN,
      rule(
        'filter',
        'forward',
        { match: { op: '==', left: { payload: { protocol: 'ip', field: 'daddr' } }, right: '10.9.0.2' } },
        dport(8443),
        { accept: null },
      ),
    )
    const { verdict, summary, suggested_fix } = await analyze()
    assert.equal(verdict, 'FORWARD_BLOCKED')
    assert.match(summary, /drops the replies/)
    assert.match(suggested_fix[0] ?? '', /ct state established,related accept/)
  })

  it('that may drop a relay, and may not, are listed and are no verdict', async () => {
    await createRoute(client)
    hold(CHAIN, rule('filter', 'forward', { limit: { rate: 1 } }, { accept: null }))
    const { verdict, evidence } = await analyze()
    assert.notEqual(verdict, 'FORWARD_BLOCKED')
    assert.match(
      evidence.find(({ name }) => name === 'foreign_rules')?.detail ?? '',
      /may drop .* cannot be determined for certain/,
    )
  })

  it('are in the reconciliation: who, and which of them take what a rule listens for', async () => {
    const { bind_port } = (await createRoute(client)).body.route
    hold(NAT, rule('nat', 'DOCKER', dport(bind_port), { redirect: { port: 1 } }))
    const { route_findings: found } = (
      await client.get<{
        route_findings: { foreign_readable: boolean; foreign_managers: string[]; foreign_shadows: string[] }
      }>('/reconcile')
    ).body
    assert.deepEqual(
      [found.foreign_readable, found.foreign_managers, found.foreign_shadows.length],
      [true, ['docker'], 1],
    )
    assert.match(found.foreign_shadows[0] ?? '', /ip nat, chain DOCKER, may take/)
  })

  it('that cannot be read are marked so', async () => {
    panel.kernel.foreign = { ...panel.kernel.foreign, is_readable: false, detail: 'nft is not installed' }
    assert.deepEqual(
      [(await forwarding(client)).body.foreign.readable, (await createRoute(client)).status],
      [false, 201],
    )
    assert.match(
      (await analyze()).evidence.find(({ name }) => name === 'foreign_rules')?.detail ?? '',
      /nft is not installed, so a firewall/,
    )
  })
})
