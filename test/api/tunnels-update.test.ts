// PATCH /tunnels/{id} over a fake kernel: what keeps its value, what is done in place, and what is refused
// (reference.md; decisions.md, T12, T14, R21).
import assert from 'node:assert/strict'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { codesOf, createTunnel, getTunnel, patchTunnel } from './support/tunnels.ts'

/** Every field that PATCH takes, with a value other than the first tunnel of the tests has. */
const IN_PLACE = {
  mtu: 1300,
  tx_queue_length: 77,
  is_multicast: true,
  is_enabled: false,
  keepalive_interval_seconds: 2.5,
  keepalive_packet_size: 100,
  addresses: [{ address: '10.9.0.1', peer_address: '10.9.0.2', prefix_length: 30 }],
}
const UNSEEN = {
  tunnel_number: 9,
  address_pool_id: 20,
  display_name: 'Berlin',
  note: 'two\nlines',
  tags: ['a', 'b'],
  is_monitor_enabled: false,
  monitor_interval_seconds: 2.5,
  monitor_timeout_seconds: 1,
  monitor_packet_size: 100,
  monitor_window_size: 30,
  monitor_degraded_loss_percent: 10,
  monitor_down_loss_percent: 90,
  monitor_degraded_rtt_ms: 50.5,
  monitor_state_change_samples: 4,
  monitor_target: '10.9.0.2',
}

describe('PATCH /tunnels/{id}', () => {
  let panel: TestPanel
  let client: Client
  let made: TunnelView
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    made = (await createTunnel(client, { ikey: 7, okey: 7 })).body.tunnel
    panel.kernel.changes.length = 0
  })
  afterEach(() => panel.close())

  const stored = async (id = 1): Promise<TunnelView> => (await getTunnel(client, id)).body
  const index = (name = 'gre-a-1'): number | undefined => panel.kernel.held.get(name)?.index

  describe('keeps apart what is absent, null and a value', () => {
    it('fields that the request does not mention keep their value', async () => {
      await patchTunnel(client, 1, { display_name: 'Berlin', monitor_packet_size: 99, tags: ['x'], mtu: 1400 })
      const before = await stored()
      const { status, body } = await patchTunnel(client, 1, { note: 'hello' })
      assert.equal(status, 200)
      const { updated_date: _then, observed: _live, ...kept } = before
      const { updated_date: _now, observed: _unread, ...now } = body.tunnel
      assert.deepEqual(now, { ...kept, note: 'hello' })
    })

    it('an empty request changes nothing', async () => {
      const picture = panel.kernel.picture()
      const { status, body } = await patchTunnel(client, 1, {})
      assert.deepEqual(
        [status, body.plan.operation, body.plan.steps, body.verification.ok, body.warnings],
        [200, 'none', [], true, []],
      )
      assert.deepEqual([panel.kernel.picture(), panel.kernel.changes], [picture, []])
    })

    it('ikey null clears the one key, needs confirm_recreate, and warns that the keys are no longer the same', async () => {
      assert.equal((await patchTunnel(client, 1, { ikey: null })).error.code, 'CONFIRM_RECREATE_REQUIRED')
      const { status, body } = await patchTunnel(client, 1, { ikey: null, confirm_recreate: true })
      assert.deepEqual(
        [status, body.tunnel.ikey, body.tunnel.okey, body.warnings.map(({ code }) => code)],
        [200, null, 7, ['GRE_KEY_ASYMMETRIC']],
      )
      assert.deepEqual(
        [panel.kernel.held.get('gre-a-1')?.state?.config.ikey, panel.kernel.held.get('gre-a-1')?.state?.config.okey],
        [null, 7],
      )
      const both = await patchTunnel(client, 1, { okey: null, confirm_recreate: true })
      assert.deepEqual([both.body.tunnel.okey, both.body.warnings.map(({ code }) => code)], [null, ['NO_GRE_KEY']])
    })

    it('null is refused where a field takes none', async () => {
      const refused = await patchTunnel(client, 1, {
        mtu: null,
        interface_name: null,
        is_enabled: null,
        ttl: null,
      })
      assert.deepEqual(
        [refused.status, codesOf(refused)],
        [
          422,
          {
            interface_name: 'INVALID_INTERFACE_NAME',
            ttl: 'INVALID_TTL',
            mtu: 'INVALID_MTU',
            is_enabled: 'INVALID_VALUE',
          },
        ],
      )
    })

    it('null puts an override back to following the setting', async () => {
      await patchTunnel(client, 1, {
        is_monitor_enabled: true,
        monitor_target: '10.9.0.2',
        fwmark: 4,
        confirm_recreate: true,
      })
      const { body } = await patchTunnel(client, 1, {
        is_monitor_enabled: null,
        monitor_target: null,
        fwmark: null,
        confirm_recreate: true,
      })
      assert.deepEqual(
        [body.tunnel.is_monitor_enabled, body.tunnel.monitor_target, body.tunnel.fwmark],
        [null, null, null],
      )
    })
  })

  describe('does in place', () => {
    it('a change of the MTU alone, which does not rename the interface', async () => {
      const before = index()
      const { status, body } = await patchTunnel(client, 1, { mtu: 1400 })
      assert.equal(status, 200)
      assert.deepEqual(
        [body.tunnel.mtu, body.tunnel.interface_name, body.plan.requires_recreate, body.verification.ok],
        [1400, 'gre-a-1', false, true],
      )
      assert.deepEqual(
        body.plan.steps.map(({ kind }) => kind),
        ['link_set_mtu', 'file_write'],
      )
      assert.deepEqual([body.tunnel.apply_status, body.tunnel.is_name_templated, index()], ['Applied', true, before])
      assert.equal(panel.kernel.held.get('gre-a-1')?.state?.config.mtu, 1400)
      assert.match([...panel.kernel.files.values()][0] ?? '', / mtu 1400 /)
    })

    for (const [field, value] of Object.entries(IN_PLACE)) {
      it(`${field}, without a new link and without a confirmation`, async () => {
        const before = index()
        const { status, body, text } = await patchTunnel(client, 1, { [field]: value })
        assert.equal(status, 200, text)
        assert.deepEqual([body.plan.requires_recreate, body.verification.ok, index()], [false, true, before])
        if (field !== 'addresses') assert.deepEqual((await stored())[field as keyof TunnelView], value)
        else
          assert.deepEqual(
            (await stored()).addresses.map(({ address, is_primary }) => [address, is_primary]),
            [['10.9.0.1', true]],
          )
      })
    }

    for (const [field, value] of Object.entries(UNSEEN)) {
      it(`${field}, which the kernel never sees: stored, and no step follows`, async () => {
        const { status, body, text } = await patchTunnel(client, 1, { [field]: value })
        assert.equal(status, 200, text)
        assert.deepEqual((await stored())[field as keyof TunnelView], value)
        assert.deepEqual([body.plan.steps, panel.kernel.changes, body.verification.ok], [[], [], true])
      })
    }
  })

  describe('checks as creating does', () => {
    it('and tells all problems at once, the first of them in field', async () => {
      const picture = panel.kernel.picture()
      const refused = await patchTunnel(client, 1, {
        remote_endpoint: '127.0.0.1',
        mtu: 1,
        ttl: 256,
        hop_limit: 3,
        colour: 'red',
        confirm_recreate: true,
      })
      assert.deepEqual([refused.status, refused.error.field], [422, 'remote_endpoint'])
      assert.deepEqual(codesOf(refused), {
        remote_endpoint: 'INVALID_ENDPOINT',
        mtu: 'INVALID_MTU',
        ttl: 'INVALID_TTL',
        hop_limit: 'INVALID_TTL',
        colour: 'UNKNOWN_FIELD',
      })
      assert.deepEqual([panel.kernel.picture(), panel.kernel.changes], [picture, []])
    })

    it('but its own name, number, subnet, endpoints and key do not collide with themselves', async () => {
      const { interface_name, tunnel_number, local_endpoint, remote_endpoint, ikey, okey, addresses } = await stored()
      const same = {
        interface_name,
        tunnel_number,
        local_endpoint,
        remote_endpoint,
        ikey,
        okey,
        addresses: addresses.map(({ address, peer_address, prefix_length }) => ({
          address,
          peer_address,
          prefix_length,
        })),
      }
      const { status, body, text } = await patchTunnel(client, 1, same)
      assert.equal(status, 200, text)
      assert.deepEqual([body.plan.operation, body.warnings], ['none', []])
    })

    it('and those of another tunnel do', async () => {
      const other = (await createTunnel(client, { ikey: 8, okey: 8 })).body.tunnel
      const refused = await patchTunnel(client, 2, {
        ikey: 7,
        tunnel_number: made.tunnel_number,
        addresses: [{ address: made.addresses[0]?.address, prefix_length: 30 }],
        confirm_recreate: true,
      })
      assert.deepEqual(codesOf(refused), {
        tunnel_number: 'INVALID_TUNNEL_NUMBER',
        remote_endpoint: 'TUNNEL_ENDPOINT_CONFLICT',
        'addresses.0.address': 'ADDRESS_CONFLICT',
      })
      assert.deepEqual((await stored(2)).ikey, other.ikey)
    })

    it('and does not refuse a field again that the request leaves alone, whatever became of the host', async () => {
      await patchTunnel(client, 1, { bind_device: 'eth0', confirm_recreate: true })
      const device = panel.kernel.hostInterfaces.splice(1, 1)
      const { status, text, body } = await patchTunnel(client, 1, { note: 'eth0 is away' })
      assert.equal(status, 200, text)
      assert.deepEqual(body.warnings, [])
      assert.deepEqual(codesOf(await patchTunnel(client, 1, { bind_device: 'eth7', confirm_recreate: true })), {
        bind_device: 'INTERFACE_NOT_FOUND',
      })
      panel.kernel.hostInterfaces.push(...device)
    })

    it('and refuses what the change makes wrong of a field that it leaves alone', async () => {
      await patchTunnel(client, 1, { addresses: [{ address: 'fd00:1::1', prefix_length: 64 }] })
      assert.deepEqual(codesOf(await patchTunnel(client, 1, { mtu: 1000 })), { mtu: 'INVALID_MTU' })
      await patchTunnel(client, 1, { addresses: [{ address: '10.8.0.1', prefix_length: 24 }] })
      assert.deepEqual(
        Object.values(codesOf(await patchTunnel(client, 1, { remote_endpoint: '10.8.0.9', confirm_recreate: true }))),
        ['INVALID_ADDRESS'],
      )
    })

    it('and an empty list of addresses is refused: a pool is not used again', async () => {
      const refused = await patchTunnel(client, 1, { addresses: [] })
      assert.deepEqual([refused.status, codesOf(refused)], [422, { addresses: 'NO_ADDRESS' }])
      const { status, body } = await patchTunnel(client, 1, { addresses: [], force: true })
      assert.deepEqual([status, body.tunnel.addresses], [200, []])
      assert.equal((await patchTunnel(client, 1, { mtu: 1400 })).status, 200)
    })

    it('of a tunnel that is not there, or not any more: 404', async () => {
      assert.equal((await patchTunnel(client, 9, { mtu: 1400 })).status, 404)
      await client.delete('/tunnels/1')
      assert.equal((await patchTunnel(client, 1, { mtu: 1400 })).status, 404)
    })
  })

  it('goes from what the host holds to what is wanted: a missing link is made, and drift is put right', async () => {
    panel.kernel.held.delete('gre-a-1')
    const made = await patchTunnel(client, 1, { mtu: 1400 })
    assert.deepEqual(
      [made.status, made.body.plan.steps.map(({ kind }) => kind)],
      [200, ['link_create', 'address_add', 'link_up', 'file_write']],
    )
    const link = panel.kernel.held.get('gre-a-1')?.state
    assert(link)
    link.config = { ...link.config, tx_queue_length: 3 }
    const { body } = await patchTunnel(client, 1, { mtu: 1300 })
    assert.deepEqual(
      [body.plan.steps.map(({ kind }) => kind), body.verification.ok],
      [['link_set_mtu', 'link_set_txqueuelen', 'file_write'], true],
    )
  })

  it('leaves drift alone where the kernel has no part in the change, and says what it is', async () => {
    panel.kernel.held.delete('gre-a-1')
    const { status, body } = await patchTunnel(client, 1, { note: 'x', monitor_packet_size: 99 })
    assert.deepEqual([status, body.verification.ok, panel.kernel.held.size, body.tunnel.note], [200, false, 0, 'x'])
  })

  it('does not write over an edited unit file: 409, and the record stays', async () => {
    const [name = ''] = panel.kernel.files.keys()
    panel.kernel.files.set(name, `${panel.kernel.files.get(name)}# mine\n`)
    assert.equal((await patchTunnel(client, 1, { mtu: 1400 })).error.code, 'FOREIGN_UNIT_FILE')
    assert.deepEqual([(await stored()).mtu, (await stored()).apply_status], [1472, 'Applied'])
    assert.equal((await patchTunnel(client, 1, { note: 'x' })).status, 200)
  })

  it('is in the audit log with its steps, also where it was refused', async () => {
    await patchTunnel(client, 1, { okey: 3 })
    await patchTunnel(client, 1, { mtu: 1400 })
    const entries = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 50)
      .orderBy('audit_log_id')
      .execute()
    assert.deepEqual(
      entries.map(({ target_id, is_success, operations }) => [target_id, is_success, JSON.parse(operations)]),
      [
        [1, 0, []],
        [1, 1, ['link_set_mtu', 'file_write']],
      ],
    )
  })
})
