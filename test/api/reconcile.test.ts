// GET /reconcile over a fake kernel: every stored tunnel and every tunnel of the host, compared (reference.md,
// Reconcile; decisions.md, S8 to S12, S14).
import assert from 'node:assert/strict'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { LinkState } from '@panel/shared/tunnel/model.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { ignore, itemOf, itemsOf, plantByHand, reconcile } from './support/reconcile.ts'
import { act, createTunnel } from './support/tunnels.ts'

const UNIT = 'tunnel-panel-link-gre-a-1.service'

describe('The comparison of host and store', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    await createTunnel(client)
    panel.kernel.changes.length = 0
  })
  afterEach(() => panel.close())

  const link = (name = 'gre-a-1'): LinkState => {
    const state = panel.kernel.held.get(name)?.state
    assert(state)
    return state
  }
  const drift = (change: Partial<LinkState['config']>): void => void (link().config = { ...link().config, ...change })

  it('covers every tunnel and every unmanaged tunnel interface, and counts them', async () => {
    plantByHand(panel.kernel, 'by-hand')
    const { status, body } = await reconcile(client)
    assert.equal(status, 200)
    assert.deepEqual(
      body.items.map(({ interface_name, tunnel_id, status: is, reconcile_status_id }) => [
        interface_name,
        tunnel_id,
        is,
        reconcile_status_id,
      ]),
      [
        ['gre-a-1', 1, 'InSync', 10],
        ['by-hand', null, 'Unmanaged', 40],
      ],
    )
    assert.deepEqual(body.counts, { InSync: 1, Drifted: 0, Missing: 0, Unmanaged: 1, Inconsistent: 0 })
    assert.ok(Date.now() - Date.parse(body.checked_at) < 60_000)
    assert.deepEqual(panel.kernel.changes, [])
  })

  it('offers reapply, forget and delete for what is managed, adopt and ignore for what is not', async () => {
    plantByHand(panel.kernel, 'by-hand')
    assert.deepEqual((await itemOf(client, 'gre-a-1')).actions, ['reapply', 'forget', 'delete'])
    assert.deepEqual((await itemOf(client, 'by-hand')).actions, ['adopt', 'ignore'])
  })

  it('shows of each item what the host shows of it, without counters', async () => {
    const { observed } = await itemOf(client, 'gre-a-1')
    assert.deepEqual(
      [observed.exists, observed.oper_state, observed.kind, observed.addresses],
      [true, 'UNKNOWN', 'gre', ['172.17.1.1/30']],
    )
    assert.ok(!('statistics' in observed))
    drift({ mtu: 1300 })
    assert.ok(!('statistics' in (await itemOf(client, 'gre-a-1')).observed))
  })

  it('is InSync where the host holds what is stored, kept by systemd or by nothing, up or down', async () => {
    await createTunnel(client, { persistence_type_id: 30 })
    await createTunnel(client)
    await act(client, 3, 'down')
    for (const item of await itemsOf(client)) assert.deepEqual([item.status, item.diffs], ['InSync', []])
  })

  for (const [field, value, desired, actual] of [
    ['mtu', 1300, '1472', '1300'],
    ['ttl', 3, '255', '3'],
    ['tos', '0x10', 'inherit', '0x10'],
    ['okey', null, '', 'none'],
    ['has_input_checksum', true, 'no', 'yes'],
    ['has_output_sequence', true, 'no', 'yes'],
    ['is_multicast', true, 'no', 'yes'],
    ['is_path_mtu_discovery', true, 'no', 'yes'],
    ['remote_endpoint', '198.51.100.9', '198.51.100.7', '198.51.100.9'],
    ['addresses', [], '172.17.1.1 peer 172.17.1.2/30', 'none'],
  ] as const) {
    it(`is Drifted where ${field} is another, with the difference as field, desired, actual`, async () => {
      drift({ [field]: value })
      const { status, diffs, detail } = await itemOf(client, 'gre-a-1')
      assert.equal(status, 'Drifted')
      assert.deepEqual(
        diffs.map((diff) => [diff.field, desired === '' ? '' : diff.desired, diff.actual]),
        [[field, desired, actual]],
      )
      assert.match(detail, new RegExp(`^${field} is `))
    })
  }

  it('is Drifted where the kind of tunnel is another, and where a tunnel that is up is down', async () => {
    link().is_up = false
    assert.deepEqual((await itemOf(client, 'gre-a-1')).diffs, [{ field: 'is_up', desired: 'yes', actual: 'no' }])
    link().is_up = true
    const held = panel.kernel.held.get('gre-a-1')
    assert(held)
    held.kind = 'gretap'
    drift({ kind: 'gretap' })
    const { status, diffs } = await itemOf(client, 'gre-a-1')
    // An Ethernet-like link has multicast.
    const isOn = { field: 'is_multicast', desired: 'no', actual: 'yes' }
    assert.deepEqual([status, diffs], ['Drifted', [{ field: 'kind', desired: 'gre', actual: 'gretap' }, isOn]])
  })

  it('is Drifted where its unit is not enabled, is not there, or makes another link', async () => {
    panel.kernel.enabled.delete(UNIT)
    assert.deepEqual((await itemOf(client, 'gre-a-1')).diffs, [
      { field: 'systemd_unit.is_enabled', desired: 'yes', actual: 'no' },
    ])
    const content = panel.kernel.files.get(UNIT)
    panel.kernel.files.delete(UNIT)
    assert.deepEqual((await itemOf(client, 'gre-a-1')).diffs, [
      { field: 'saved', desired: 'systemd_unit', actual: 'no' },
    ])
    panel.kernel.enabled.add(UNIT)
    assert.deepEqual(
      (await itemOf(client, 'gre-a-1')).diffs.map(({ field }) => field),
      ['systemd_unit.file'],
    )
    panel.kernel.files.set(UNIT, content?.replaceAll('1472', '1400') ?? '')
    assert.deepEqual((await itemOf(client, 'gre-a-1')).diffs, [
      { field: 'systemd_unit.mtu', desired: '1472', actual: '1400' },
    ])
  })

  it('is Missing where the interface is not there, and says what to do', async () => {
    panel.kernel.held.delete('gre-a-1')
    const { status, diffs, detail, observed } = await itemOf(client, 'gre-a-1')
    assert.deepEqual(
      [status, diffs, observed.exists],
      ['Missing', [{ field: 'exists', desired: 'yes', actual: 'no' }], false],
    )
    assert.match(detail, /Reapply creates it/)
  })

  it('is Missing too where file and interface are gone both, and says of a disabled tunnel that boot does not make it', async () => {
    await act(client, 1, 'down')
    panel.kernel.held.clear()
    panel.kernel.files.clear()
    const { status, diffs, detail } = await itemOf(client, 'gre-a-1')
    assert.deepEqual([status, diffs.map(({ field }) => field)], ['Missing', ['exists', 'saved']])
    assert.match(detail, /is disabled/)
  })

  it('is Inconsistent where another kind of interface has taken the name', async () => {
    panel.kernel.held.delete('gre-a-1')
    panel.kernel.plant('gre-a-1', { kind: 'vxlan' })
    const { status, detail, observed } = await itemOf(client, 'gre-a-1')
    assert.deepEqual([status, observed.kind], ['Inconsistent', 'vxlan'])
    assert.match(detail, /another kind.*vxlan/)
  })

  it("is Inconsistent where a file that is not the panel's stands in the place of its unit", async () => {
    panel.kernel.files.set(UNIT, `${panel.kernel.files.get(UNIT)}# mine\n`)
    const { status, detail, foreign_files } = await itemOf(client, 'gre-a-1')
    assert.deepEqual([status, foreign_files], ['Inconsistent', [UNIT]])
    assert.match(detail, /Move it aside/)
  })

  it('is Inconsistent where a change could not be undone, until a reapply has worked', async () => {
    const why = JSON.stringify(verbatim('It broke.'))
    await panel.db
      .updateTable('tunnel')
      .set({ apply_status_id: 40, last_apply_error: 'It broke.', last_apply_error_message: why })
      .execute()
    const { status, detail } = await itemOf(client, 'gre-a-1')
    assert.equal(status, 'Inconsistent')
    assert.match(detail, /It broke\./)
    await act(client, 1, 'reapply')
    assert.equal((await itemOf(client, 'gre-a-1')).status, 'InSync')
  })

  it('reports what the panel cannot keep, and that a reapply which would lose it is refused', async () => {
    const held = panel.kernel.held.get('gre-a-1')
    assert(held)
    held.unmodelled = ['alias the office']
    assert.deepEqual(
      [(await itemOf(client, 'gre-a-1')).status, (await itemOf(client, 'gre-a-1')).unmodelled],
      ['InSync', ['alias the office']],
    )
    held.unmodelled.push('dscp copy')
    drift({ ttl: 3 })
    assert.match((await itemOf(client, 'gre-a-1')).detail, /would lose what .* \(dscp copy\): reapply is refused/)
    assert.equal((await act(client, 1, 'reapply')).status, 409)
    held.unmodelled.pop()
    assert.match((await itemOf(client, 'gre-a-1')).detail, /Reapply corrects it in place/)
    assert.equal((await act(client, 1, 'reapply')).status, 200)
    assert.deepEqual(panel.kernel.held.get('gre-a-1')?.unmodelled, ['alias the office'])
    drift({ kind: 'gretap' })
    assert.match((await itemOf(client, 'gre-a-1')).detail, /would lose.*alias the office.*refused/)
    assert.equal((await act(client, 1, 'reapply')).status, 409)
  })

  it("never lists the kernel's own stubs, nor interfaces that are no tunnels of ours", async () => {
    for (const stub of ['gre0', 'gretap0', 'erspan0', 'ip6gre0', 'tunl0', 'sit0', 'ip6tnl0'])
      plantByHand(panel.kernel, stub)
    panel.kernel.plant('vx0', { kind: 'vxlan' })
    assert.deepEqual(
      (await itemsOf(client)).map(({ interface_name }) => interface_name),
      ['gre-a-1'],
    )
  })

  it('recognises a legacy name with its number, marker and unit', async () => {
    plantByHand(panel.kernel, 'gre-ab-7')
    plantByHand(panel.kernel, 'gre-abc-7', { remote_endpoint: '198.51.100.3' })
    assert.deepEqual((await itemOf(client, 'gre-ab-7')).legacy, {
      tunnel_number: 7,
      marker: 'ab',
      unit_path: '',
      is_panel_owned: false,
    })
    for (const name of ['gre-a-1', 'gre-abc-7']) assert.equal((await itemOf(client, name)).legacy, null)
    const unit = '/etc/systemd/system/tunnel-panel-link-gre-ab-7.service'
    panel.kernel.files.set('tunnel-panel-link-gre-ab-7.service', '# not ours\n')
    assert.deepEqual((await itemOf(client, 'gre-ab-7')).legacy, {
      tunnel_number: 7,
      marker: 'ab',
      unit_path: unit,
      is_panel_owned: false,
    })
  })

  it('lists a tunnel whose name the panel cannot take, to be ignored', async () => {
    plantByHand(panel.kernel, '_gre1')
    const { actions, status } = await itemOf(client, '_gre1')
    assert.deepEqual([status, actions], ['Unmanaged', ['ignore']])
    assert.equal((await ignore(client, { interface_name: '_gre1' })).status, 200)
    assert.deepEqual(
      (await itemsOf(client)).map(({ interface_name }) => interface_name),
      ['gre-a-1'],
    )
  })

  it("tells of units of the panel's own that stand for nothing that is there or managed", async () => {
    const { body } = await createTunnel(client)
    panel.kernel.held.delete('gre-a-2')
    await client.post(`/reconcile/${body.tunnel.tunnel_id}/forget`)
    const answer = (await reconcile(client)).body
    assert.deepEqual(
      [answer.items.length, answer.leftover_units],
      [1, ['/etc/systemd/system/tunnel-panel-link-gre-a-2.service']],
    )
  })

  it("says of relay rules what there is: none here, and that the host's could be read", async () => {
    const { body } = await reconcile(client)
    assert.deepEqual(
      [body.routes, body.route_counts, body.route_findings.backend, body.route_findings.readable],
      [[], {}, 'nftables', true],
    )
    assert.equal(body.route_findings.enabled_rules, 0)
  })

  it('compares many tunnels, most as stored, and each of them right', async () => {
    const ends = { local_endpoint: '192.0.2.1', persistence_type_id: 30 }
    for (let number = 2; number <= 60; number += 1)
      await createTunnel(client, {
        ...ends,
        remote_endpoint: `198.51.${100 + (number >> 7)}.${number & 127}`,
        addresses: [{ address: `10.77.${number >> 6}.${(number & 63) * 4 + 1}`, prefix_length: 30 }],
      })
    link('gre-a-17').config.mtu = 1333
    panel.kernel.held.delete('gre-a-40')
    const { body } = await reconcile(client)
    assert.deepEqual(body.counts, { InSync: 58, Drifted: 1, Missing: 1, Unmanaged: 0, Inconsistent: 0 })
    assert.deepEqual(
      body.items
        .filter(({ status }) => status !== 'InSync')
        .map(({ interface_name, status }) => [interface_name, status]),
      [
        ['gre-a-17', 'Drifted'],
        ['gre-a-40', 'Missing'],
      ],
    )
  })
})

describe('GET /reconcile', () => {
  it('needs a session, and the root helper', async () => {
    const panel = await startPanel({ request: () => Promise.reject(helperAway('ENOENT')) })
    assert.equal((await panel.visitor().get('/reconcile')).status, 503)
    const client = await panel.setUp()
    assert.equal((await panel.visitor().get('/reconcile')).status, 401)
    assert.equal((await client.get('/reconcile')).error.code, 'HELPER_UNAVAILABLE')
    await panel.close()
  })
})
