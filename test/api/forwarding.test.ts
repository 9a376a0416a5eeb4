// IP forwarding through HTTP (reference.md, system/forwarding; decisions.md, F27 to F29).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  createRoute,
  deleteRoute,
  enableForwarding,
  forwarding,
  madeRoute,
  warningCodes,
} from './support/routes.ts'

describe('IP forwarding', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('GET tells whether packets are forwarded, by which backend and file, what other software has, and who set it', async () => {
    const { status, body } = await forwarding(client)
    const { conntrack_max, ...reported } = body.forwarding
    assert.deepEqual([status, conntrack_max], [200, 262_144])
    assert.deepEqual(reported, {
      ipv4_forwarding: false,
      ipv6_forwarding: false,
      connection_accounting: false,
      connection_timestamps: false,
      backend: 'nftables',
      sysctl_path: '/etc/sysctl.d/99-tunnel-panel.conf',
      panel_managed: false,
      previous_values: {},
      can_revert: false,
      conntrack_count: 0,
      conntrack_max_set: null,
      conntrack_max_doubled: 524_288,
      conntrack_usage_percent: 0,
      namespace: 'table inet panel',
    })
    assert.deepEqual(
      [
        typeof body.foreign.readable,
        Array.isArray(body.foreign.managers),
        Array.isArray(body.foreign.rules),
        body.backend['active'],
      ],
      ['boolean', true, true, 'nftables'],
    )
  })

  it("enable writes the panel's own sysctl file, records the values before, and is idempotent", async () => {
    const first = await enableForwarding(client)
    assert.deepEqual(
      [
        first.status,
        first.body.action,
        first.body.forwarding.ipv4_forwarding,
        first.body.forwarding.ipv6_forwarding,
        first.body.forwarding.panel_managed,
      ],
      [200, 'enable', true, false, true],
    )
    assert.deepEqual(first.body.forwarding.previous_values, {
      'net.ipv4.ip_forward': 0,
      'net.ipv6.conf.all.forwarding': 0,
    })
    const picture = panel.kernel.picture()
    const second = await enableForwarding(client, {})
    assert.deepEqual(
      [second.status, second.body.forwarding, panel.kernel.picture()],
      [200, first.body.forwarding, picture],
    )
  })

  it('revert restores the values before and removes the file; with nothing recorded it does nothing', async () => {
    const picture = panel.kernel.picture()
    const none = await enableForwarding(client, { revert: true })
    assert.deepEqual([none.status, none.body.action, panel.kernel.changes], [200, 'revert', []])
    await enableForwarding(client)
    const { body } = await enableForwarding(client, { revert: true })
    assert.deepEqual(
      [body.action, body.forwarding.ipv4_forwarding, body.forwarding.can_revert, panel.kernel.picture()],
      ['revert', false, false, picture],
    )
    assert.equal((await client.post('/system/forwarding/enable', { revert: 'yes' })).error.field, 'revert')
  })

  it('revert keeps forwarding on where it was on before', async () => {
    panel.kernel.forwarding.live = { ipv4: true, ipv6: false }
    await enableForwarding(client)
    assert.equal((await enableForwarding(client, { revert: true })).body.forwarding.ipv4_forwarding, true)
  })

  it('is turned on with the first rule of a family, and revert warns of the rules that then relay nothing', async () => {
    await madeRoute(client)
    assert.deepEqual(panel.kernel.forwarding.live, { ipv4: true, ipv6: false })
    await madeRoute(client, { bind_address: '::', destination_address: '2001:db8::9' })
    assert.deepEqual(panel.kernel.forwarding.live, { ipv4: true, ipv6: true })
    const reverted = await enableForwarding(client, { revert: true })
    assert.deepEqual(
      [warningCodes(reverted), panel.kernel.forwarding.live],
      [['IP_FORWARDING_OFF', 'IP_FORWARDING_OFF'], { ipv4: false, ipv6: false }],
    )
  })

  it('is left alone by a rule that is disabled, and turned on when it is enabled', async () => {
    await createRoute(client, { is_enabled: false })
    assert.equal(panel.kernel.forwarding.live.ipv4, false)
    await actOnRoute(client, 1, 'enable')
    assert.equal(panel.kernel.forwarding.live.ipv4, true)
  })

  it('with connections has the kernel count bytes and age of each, records what was set before, and puts it back', async () => {
    const before = panel.kernel.picture()
    const on = await enableForwarding(client, { connections: true })
    assert.deepEqual(
      [on.status, on.body.action, panel.kernel.forwarding.live],
      [200, 'enable', { ipv4: false, ipv6: false, conntrack_acct: true, conntrack_timestamp: true }],
    )
    const { forwarding: seen, warnings } = (await forwarding(client)).body
    assert.deepEqual(
      [seen.connection_accounting, seen.connection_timestamps, seen.can_revert, seen.ipv4_forwarding, warnings],
      [true, true, true, false, []],
    )
    assert.deepEqual(
      [
        seen.previous_values['net.netfilter.nf_conntrack_acct'],
        seen.previous_values['net.netfilter.nf_conntrack_timestamp'],
      ],
      [0, 0],
    )
    await enableForwarding(client)
    const { body } = await enableForwarding(client, { connections: true, revert: true })
    assert.deepEqual(
      [body.forwarding.connection_accounting, body.forwarding.ipv4_forwarding, body.forwarding.can_revert],
      [false, true, true],
    )
    await enableForwarding(client, { revert: true })
    panel.kernel.forwarding.live = { ipv4: false, ipv6: false }
    assert.equal(panel.kernel.picture(), before)
  })

  it('with connections where the kernel tracks none yet is refused, and says when it does', async () => {
    panel.kernel.forwarding.missing = ['conntrack_acct', 'conntrack_timestamp']
    const { status, error } = await enableForwarding(client, { connections: true })
    assert.deepEqual([status, error.code, panel.kernel.changes], [503, 'SERVICE_UNAVAILABLE', []])
    assert.match(error.message, /first relay rule/)
  })

  it("that another program turned on is not the panel's to revert", async () => {
    panel.kernel.forwarding.live = { ipv4: true, ipv6: true }
    await madeRoute(client)
    assert.deepEqual(
      [(await deleteRoute(client, 1)).body.forwarding_can_be_reverted, panel.kernel.forwarding.file],
      [false, null],
    )
  })

  it('warns where the kernel can soon track no more connections', async () => {
    panel.kernel.forwarding.conntrack = { count: 90, max: 100 }
    Object.assign(panel.kernel.forwarding.live, { conntrack_acct: true, conntrack_timestamp: false })
    assert.deepEqual(
      [
        warningCodes(await forwarding(client)),
        warningCodes(await createRoute(client)).includes('CONNTRACK_NEARLY_FULL'),
      ],
      [['CONNTRACK_NEARLY_FULL'], true],
    )
  })

  it('leaves a foreign file in its place alone: 409', async () => {
    panel.kernel.forwarding.file = '# mine\nnet.ipv4.ip_forward=1\n'
    const { status, error } = await enableForwarding(client)
    assert.deepEqual([status, error.code], [409, 'PROTECTED_SYSCTL'])
    assert.equal(panel.kernel.forwarding.file, '# mine\nnet.ipv4.ip_forward=1\n')
  })

  it('is audited as ForwardingEnable and ForwardingRevert', async () => {
    await enableForwarding(client)
    await enableForwarding(client, { revert: true })
    const entries = await panel.db
      .selectFrom('audit_log')
      .select('audit_action_id')
      .where('audit_action_id', 'in', [1050, 1060])
      .orderBy('audit_log_id')
      .execute()
    assert.deepEqual(
      entries.map((entry) => entry.audit_action_id),
      [1050, 1060],
    )
  })
})
