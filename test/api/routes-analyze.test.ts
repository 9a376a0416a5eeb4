// The analysis of a rule: verdict, evidence and ordered fixes (reference.md, Analysis result; decisions.md, F24).
import assert from 'node:assert/strict'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { createServer, type Server } from 'node:net'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, enableForwarding, madeRoute, patchRoute } from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'

describe('The analysis of a rule', () => {
  let panel: TestPanel
  let client: Client
  let server: Server
  let port = 0
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    server = createServer((socket) => socket.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as { port: number }).port
    await createTunnel(client)
    await madeRoute(client, { force: true, tunnel_id: 1, destination_address: '127.0.0.1', destination_port: port })
  })
  afterEach(async () => {
    server.close()
    await panel.close()
  })
  const analyze = async (): Promise<RouteAnalysis> => {
    const { status, body, text } = await client.post<RouteAnalysis>('/routes/1/diagnostics/analyze')
    assert.equal(status, 200, text)
    assert(body.evidence.length > 0 && body.summary !== '')
    return body
  }
  const verdict = async (): Promise<string> => (await analyze()).verdict

  it('is HEALTHY where nothing stops it and something was relayed, with evidence on the state of its tunnel', async () => {
    panel.kernel.rulesets.relay(1, { tx_bytes: 60, tx_packets: 1, rx_bytes: 60, rx_packets: 1 })
    const { verdict: found, severity, evidence, suggested_fix, confidence } = await analyze()
    assert.deepEqual([found, severity, suggested_fix, confidence], ['HEALTHY', 'ok', [], 'high'])
    assert.match(evidence.find(({ name }) => name === 'tunnel')?.detail ?? '', /gre-a-1 .* is up/)
    assert.deepEqual(
      evidence.map(({ name }) => name),
      [
        'rule',
        'ruleset',
        'listener',
        'forwarding',
        'order',
        'foreign_rules',
        'foreign_dnat',
        'connection_mark',
        'tunnel',
        'route',
        'destinations',
        'mtu',
        'connections',
        'traffic',
      ],
    )
  })

  it('is TUNNEL_DOWN with another remedy where the tunnel is enabled, but its interface is missing', async () => {
    panel.kernel.held.delete('gre-a-1')
    const { verdict: found, suggested_fix } = await analyze()
    assert.deepEqual([found, suggested_fix[0]], ['TUNNEL_DOWN', 'Reapply gre-a-1.'])
  })

  it('is NO_INBOUND_TRAFFIC where nothing has come yet', async () => {
    const { verdict: found, suggested_fix } = await analyze()
    assert.deepEqual([found, suggested_fix.length > 0], ['NO_INBOUND_TRAFFIC', true])
  })

  it('names the first thing that stops a packet, and the fixes in their order', async () => {
    await patchRoute(client, 1, { is_clamp_mss_to_pmtu: false })
    assert.equal(await verdict(), 'MTU_PROBLEM')
    await patchRoute(client, 1, {
      destinations: [
        { address: '127.0.0.1', port },
        { address: '127.0.0.1', port: 1 },
      ],
      force: true,
    })
    assert.equal(await verdict(), 'DESTINATIONS_PARTLY_UNREACHABLE')
    server.close()
    assert.equal(await verdict(), 'DESTINATION_UNREACHABLE')
    await act(client, 1, 'down')
    const down = await analyze()
    assert.deepEqual([down.verdict, down.suggested_fix[0]], ['TUNNEL_DOWN', 'Enable gre-a-1.'])
    await madeRoute(client, { bind_address: '0.0.0.0', bind_port: 400, bind_port_range_end: 500, sort_order: 1 })
    assert.equal(await verdict(), 'RULE_SHADOWED')
    await enableForwarding(client, { revert: true })
    assert.equal(await verdict(), 'FORWARDING_DISABLED')
    panel.kernel.rulesets.flush()
    const { verdict: found, suggested_fix } = await analyze()
    assert.deepEqual(
      [found, suggested_fix.slice(0, 2)],
      ['RULE_MISSING', ['Reapply the rule.', 'Turn IP forwarding on.']],
    )
    await actOnRoute(client, 1, 'disable')
    assert.equal(await verdict(), 'RULE_DISABLED')
  })

  it('does not miss a rule that the kernel holds after a change that was put back, nor one whose change is pending', async () => {
    panel.kernel.rulesets.relay(1, { tx_bytes: 60, tx_packets: 1, rx_bytes: 60, rx_packets: 1 })
    for (const apply_status_id of [APPLY_STATUSES.Failed, APPLY_STATUSES.Pending]) {
      await panel.db.updateTable('route_rule').set({ apply_status_id }).execute()
      assert.equal(await verdict(), 'HEALTHY')
    }
  })

  it("is FORWARD_BLOCKED, without certainty, if there are foreign pieces in the panel's table", async () => {
    panel.kernel.rulesets.unmanaged = ['chain account_forward: drop']
    const { verdict: found, confidence, summary, suggested_fix } = await analyze()
    assert.deepEqual([found, confidence], ['FORWARD_BLOCKED', 'low'])
    assert.match(summary, /chain account_forward: drop/)
    assert.match(suggested_fix[0] ?? '', /Reapply/)
  })

  it('is audited as DiagnosticRun; of a rule that is not there it is 404', async () => {
    await analyze()
    const entry = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 1030)
      .executeTakeFirstOrThrow()
    assert.deepEqual([entry.target_type, entry.target_id], ['route', 1])
    assert.equal((await client.post('/routes/9/diagnostics/analyze')).status, 404)
  })
})
