// What settings must be to each other, and the forms of those that are no plain number or word (decisions.md, section
// 8).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { LISTED, putSettings, refused, set } from './support/settings.ts'
import { codesOf, createTunnel, previewTunnel } from './support/tunnels.ts'

describe('Settings that belong together', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const refusedKeys = async (body: object): Promise<string[]> =>
    Object.keys(await refused(client, await putSettings(client, body)))

  it('are held against each other over the batch laid over what is stored', async () => {
    assert.deepEqual(await refusedKeys({ 'monitor.down_loss_pct': 10 }), ['monitor.down_loss_pct'])
    assert.deepEqual(await refusedKeys({ 'monitor.down_loss_pct': 40, 'monitor.degraded_loss_pct': 50 }), [
      'monitor.degraded_loss_pct',
      'monitor.down_loss_pct',
    ])
    assert.deepEqual((await set(client, { 'monitor.down_loss_pct': 10, 'monitor.degraded_loss_pct': 5 })).changed, [
      'monitor.degraded_loss_pct',
      'monitor.down_loss_pct',
    ])
    assert.equal((await putSettings(client, { 'monitor.degraded_loss_pct': 20 })).status, 422)
  })

  it('are refused together with a value that is wrong by itself', async () => {
    assert.deepEqual(await refusedKeys({ 'monitor.down_loss_pct': 10, 'monitor.window_size': 'wide' }), [
      'monitor.window_size',
      'monitor.down_loss_pct',
    ])
  })

  it('of two changes at once that are right alone and wrong together, let only the first through', async () => {
    const answers = await Promise.all([
      putSettings(client, { 'monitor.down_loss_pct': 30 }),
      putSettings(client, { 'monitor.degraded_loss_pct': 40 }),
    ])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
  })

  for (const [what, wrong] of Object.entries({
    'a ping by hand asks for no more than it may': { 'diagnostics.manual_ping_count': 20_000 },
    'a probe of the path MTU goes upwards': { 'diagnostics.mtu_probe_min': 1501 },
    'a disk is not critical before it calls for a warning': { 'metrics.disk_warn_pct': 96 },
    'a session does not last longer than it can be renewed': {
      'security.refresh_ttl_days': 1,
      'security.token_ttl_minutes': 1441,
    },
    'a template of names holds a number': { 'tunnel.naming_template': 'gre-{side}' },
    'a template of names leaves room for numbers up to 999': { 'tunnel.naming_template': 'my-own-tunnel-{number}' },
    'a template of names begins with a letter or digit': { 'tunnel.naming_template': '-{number}' },
    'a template of names has room for the labels': { 'tunnel.side_labels': { a: 'istanbul', b: 'b' } },
    'the labels of the two sides differ': { 'tunnel.side_labels': { a: 'x', b: 'x' } },
    'a pool that is named is there': { 'addressing.default_pool_id': 11 },
  })) {
    it(`see to it that ${what}`, async () =>
      assert.deepEqual(
        await refusedKeys(wrong),
        Object.keys(wrong).sort((a, b) => Object.keys(LISTED).indexOf(a) - Object.keys(LISTED).indexOf(b)),
      ))
  }

  it('take an IP of a pool that is there, an origin with a port, and a template with room', async () => {
    await set(client, {
      'addressing.default_pool_id': 20,
      'security.allowed_origins': ['http://[fd00::1]:8480', 'https://panel.example.net'],
      'tunnel.naming_template': '{type}-{number}',
      'tunnel.side_labels': { a: 'east', b: 'west' },
    })
  })

  it('take no origin with a path, with "*", in upper case or twice', async () => {
    for (const origins of [
      ['*'],
      ['https://*.example.net'],
      ['https://example.net/'],
      ['https://Example.net'],
      ['ftp://example.net'],
      ['example.net'],
      ['https://a.example', 'https://a.example'],
      ['null'],
    ]) {
      assert.deepEqual(
        await refusedKeys({ 'security.allowed_origins': origins }),
        ['security.allowed_origins'],
        origins.join(),
      )
    }
  })

  it('take as type of service what a tunnel takes, and no more', async () => {
    for (const tos of ['inherit', '0x10', '255', '0']) await set(client, { 'tunnel.default_tos': tos })
    await set(client, { 'tunnel.default_tos': 'inherit' })
    for (const tos of ['256', '0x100', '', 'Inherit', '-1'])
      assert.deepEqual(await refusedKeys({ 'tunnel.default_tos': tos }), ['tunnel.default_tos'])
  })

  it('hold the thresholds that a tunnel has for itself against those that hold for all', async () => {
    const degraded = { monitor_degraded_loss_percent: 50 }
    assert.equal((await previewTunnel(client, degraded)).status, 200)
    await set(client, { 'monitor.down_loss_pct': 40 })
    assert.deepEqual(codesOf(await createTunnel(client, degraded)), {
      monitor_degraded_loss_percent: 'INVALID_MONITOR_OVERRIDE',
    })
    await set(client, { 'monitor.degraded_loss_pct': 10 })
    assert.equal((await createTunnel(client, { monitor_down_loss_percent: 15 })).status, 201)
  })
})
