// The fast path of relay rules (decisions.md, F33): which rules are on it and why not, and the note of totals that are
// not whole.
import assert from 'node:assert/strict'
import type { RouteAnalysis } from '@panel/shared/api/analysis.ts'
import type { RouteTrafficAnswer } from '@panel/shared/api/routes/traffic.ts'
import type { SettingsSchemaAnswer } from '@panel/shared/api/settings.ts'
import type { CapabilitiesAnswer } from '@panel/shared/api/system.ts'
import { eventually } from '../support/eventually.ts'
import type { Client } from './support/client.ts'
import { createRoute, getRoute, madeRoute, patchRoute, previewRoute } from './support/routes.ts'
import { startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'
import { set } from './support/settings.ts'

const carried = (tx_bytes: number, detail = '') => ({
  epoch: 'e',
  detail,
  counters: [{ route_rule_id: 1, tx_bytes, tx_packets: tx_bytes / 10, rx_bytes: 0, rx_packets: 0 }],
})

describe('The fast path of a relay rule', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const isFast = (id = 1): boolean => panel.host.rulesets.rules.get(id)?.is_fast_path === true
  const fastPath = async (id = 1) => {
    const { fast_path } = (await getRoute(client, id)).body.health
    return [fast_path.reason_message.message_id.replace('route.fast_path_', ''), fast_path.is_active, isFast(id)]
  }

  it('is taken where the rule says so, and left where it says so, whatever the setting says', async () => {
    await madeRoute(client, { is_fast_path: true })
    assert.deepEqual(await fastPath(), ['on', true, true])
    await set(client, { 'routes.fast_path': 'on' })
    await patchRoute(client, 1, { is_fast_path: false })
    assert.deepEqual(await fastPath(), ['own', false, false])
    await patchRoute(client, 1, { is_fast_path: null })
    assert.deepEqual(await fastPath(), ['on', true, true])
  })

  it('is shown in the text of a preview, which changes nothing', async () => {
    assert.match((await previewRoute(client, { is_fast_path: true })).body.payload, /flow add @relay_flows/)
    assert.doesNotMatch((await previewRoute(client)).body.payload, /flow add/)
    assert.equal(panel.host.rulesets.rules.size, 0)
  })

  it('is stated in the analysis and by the setting, with what it hides from the firewall of the operator', async () => {
    const finding = async () => {
      const { evidence } = (await client.post<RouteAnalysis>('/routes/1/diagnostics/analyze')).body
      return evidence.find(({ name }) => name === 'fast_path')
    }
    await madeRoute(client, { is_fast_path: true })
    const found = await finding()
    assert.equal(found?.data['is_active'], true)
    assert.match(found?.detail ?? '', /Chains of other firewalls do not see their packets/)
    const { settings } = (await client.get<SettingsSchemaAnswer>('/settings/schema')).body
    const setting = settings.find(({ key }) => key === 'routes.fast_path')
    assert.match(setting?.description ?? '', /Your own firewall then no longer sees their packets/)
    await patchRoute(client, 1, { is_fast_path: false })
    assert.equal(await finding(), undefined)
  })

  for (const [field, value] of Object.entries({
    max_connections_per_source: 5,
    connection_rate_limit: 5,
    is_logging_enabled: true,
    fwmark: 7,
  }))
    it(`is not for a rule with ${field}, which says so`, async () => {
      await madeRoute(client, { is_fast_path: true, [field]: value })
      assert.deepEqual(await fastPath(), ['slow', false, false])
      assert.match((await getRoute(client, 1)).body.health.fast_path.reason, new RegExp(field))
    })

  it('is for a rule that clamps', async () => {
    await madeRoute(client, { is_fast_path: true, is_clamp_mss_to_pmtu: true })
    assert.deepEqual(await fastPath(), ['on', true, true])
  })

  it('is not on a host that cannot, whose rule relays all the same', async () => {
    panel.host.rulesets.fast = { is_able: false, detail: 'no flowtable' }
    assert.equal((await createRoute(client, { is_fast_path: true })).status, 201)
    assert.deepEqual(await fastPath(), ['unable', false, false])
    const { rule_backend } = (await client.get<CapabilitiesAnswer>('/system/capabilities')).body
    assert.deepEqual([rule_backend.fast_path.is_able, rule_backend.fast_path.reason], [false, 'no flowtable'])
  })

  it('is left with the setting for the rules that follow it alone, in one change that the audit log has', async () => {
    await madeRoute(client, { is_fast_path: true })
    await madeRoute(client, { bind_port: 444 })
    await madeRoute(client, { bind_port: 445, fwmark: 7 })
    await set(client, { 'routes.fast_path': 'on' })
    await eventually(() => isFast(2))
    assert.deepEqual([isFast(1), isFast(3)], [true, false])
    await set(client, { 'routes.fast_path': 'off' })
    await eventually(() => !isFast(2))
    assert.equal(isFast(1), true)
    const { entries } = (await client.get<{ entries: { operations: string[] }[] }>('/audit?action=RouteReapply')).body
    assert.match(entries[0]?.operations.join() ?? '', /fast path of 1 rules changed/)
  })

  it('has its bytes in the totals once, and what is missing from them in the note', async () => {
    await madeRoute(client, { is_fast_path: true })
    const { connections, rulesets } = panel.host
    rulesets.relay(1, { tx_bytes: 50, tx_packets: 5 })
    rulesets.counted.set(1, {
      ...rulesets.counted.get(1)!,
      twice: { tx_bytes: 50, tx_packets: 5, rx_bytes: 0, rx_packets: 0 },
    })
    connections.carried = carried(1050)
    await panel.traffic.sample()
    assert.equal((await getRoute(client, 1)).body.tx_bytes_since_creation, 1050)
    connections.carried = carried(2050, 'Flows ended unseen')
    await panel.traffic.sample()
    const { traffic, note } = (await client.get<RouteTrafficAnswer>('/routes/1/traffic')).body
    assert.equal(traffic.tx_bytes_since_creation, 2050)
    assert.match(note, /Flows ended unseen/)
  })
})
