// Tunnels through HTTP, over a fake kernel: made, previewed, shown and listed (reference.md, Tunnels).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel, deleteTunnel, getTunnel, listTunnels, previewTunnel } from './support/tunnels.ts'

const UNIT = '/etc/systemd/system/tunnel-panel-link-gre-a-1.service'

describe('Tunnels', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  describe('POST /tunnels', () => {
    it('makes a tunnel from nothing but two endpoints: 201 with the tunnel, the plan and what was read back', async () => {
      const { status, body } = await createTunnel(client)
      assert.equal(status, 201)
      const { tunnel, plan, verification, warnings } = body
      assert.equal(tunnel.tunnel_id, 1)
      assert.equal(tunnel.interface_name, 'gre-a-1')
      assert.equal(tunnel.is_name_templated, true)
      assert.equal(tunnel.tunnel_number, 1)
      assert.equal(tunnel.ttl, 255)
      assert.equal(tunnel.mtu, 1472)
      assert.equal(tunnel.apply_status, 'Applied')
      assert(tunnel.ikey !== null && tunnel.ikey > 0 && tunnel.ikey === tunnel.okey)
      assert.equal(tunnel.addresses[0]?.address, '172.17.1.1')
      assert.deepEqual([tunnel.observed.exists, tunnel.observed.oper_state], [true, 'UNKNOWN'])
      assert.deepEqual(
        plan.steps.map(({ kind }) => kind),
        ['link_create', 'address_add', 'link_up', 'file_write', 'systemd_enable'],
      )
      assert.equal(verification.ok, true)
      assert.deepEqual(
        verification.checks.map(({ name, expected }) => ({ name, expected })),
        plan.verification,
      )
      assert.deepEqual(warnings, [])
      assert(panel.kernel.held.has('gre-a-1') && panel.kernel.files.size === 1)
    })

    it('stores every field that it takes, also those that the kernel never sees', async () => {
      const fields = {
        tunnel_type_id: 40,
        local_endpoint: '2001:db8::1',
        remote_endpoint: '2001:db8:9::9',
        interface_name: 'berlin',
        tunnel_side_id: 20,
        tunnel_number: 7,
        bind_device: 'eth0',
        mtu: 1300,
        ttl: 9,
        hop_limit: 8,
        tos: '0x10',
        traffic_class: '0x20',
        ikey: 1,
        okey: 2,
        has_input_checksum: true,
        has_output_checksum: true,
        has_input_sequence: true,
        has_output_sequence: true,
        encap_limit: 4,
        flow_label: 5,
        fwmark: 6,
        tx_queue_length: 500,
        is_multicast: false,
        persistence_type_id: 30,
        is_enabled: false,
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
      const { status, text } = await createTunnel(client, fields)
      assert.equal(status, 201, text)
      const { body } = await getTunnel(client, 1)
      for (const [field, value] of Object.entries(fields))
        assert.deepEqual(body[field as keyof typeof body], value, field)
      const held = panel.kernel.held.get('berlin')?.state
      assert.deepEqual([held?.is_up, held?.config.ttl, held?.config.tos], [false, 8, '0x20'])
      assert.equal(body.addresses[0]?.address, '10.10.7.2')
    })

    it('writes no unit for a tunnel that lives only until the next boot', async () => {
      const { body } = await createTunnel(client, { persistence_type_id: 30 })
      assert.deepEqual([body.plan.files, panel.kernel.files.size, body.warnings], [[], 0, []])
    })

    it('makes two at once without giving them one number', async () => {
      const replies = await Promise.all(Array.from({ length: 8 }, () => createTunnel(client)))
      assert.deepEqual(
        replies.map(({ status }) => status),
        Array(8).fill(201),
      )
      assert.deepEqual(
        replies.map(({ body }) => body.tunnel.interface_name).sort(),
        Array.from({ length: 8 }, (_, n) => `gre-a-${n + 1}`),
      )
    })

    it('sent twice with one idempotency key makes one tunnel and answers the same', async () => {
      const first = await createTunnel(client, { idempotency_key: 'once' })
      const second = await createTunnel(client, { idempotency_key: 'once' })
      assert.deepEqual([second.status, second.body], [201, first.body])
      assert.equal((await listTunnels(client)).body.total, 1)
    })

    it('goes on with a leftover unit file of ours, as a panel that was killed leaves one', async () => {
      await createTunnel(client)
      await panel.db.deleteFrom('tunnel_address').execute()
      await panel.db.deleteFrom('tunnel').execute()
      panel.kernel.held.clear()
      const { status, body } = await createTunnel(client)
      assert.deepEqual([status, body.tunnel.interface_name, body.verification.ok], [201, 'gre-a-1', true])
    })

    it('offers a tunnel that stands there already for adoption, and leaves it alone: 409', async () => {
      await createTunnel(client, { interface_name: 'old', persistence_type_id: 30 })
      const link = panel.kernel.held.get('old')
      assert(link)
      await deleteTunnel(client, 1)
      panel.kernel.held.set('old', link)
      const before = panel.kernel.picture()
      const { status, error } = await createTunnel(client, { interface_name: 'old' })
      assert.equal(status, 409)
      assert.deepEqual(
        [error.code, error.field, error.details['interface_name'], error.details['adopt_path']],
        ['ADOPTABLE', 'interface_name', 'old', '/reconcile/adopt'],
      )
      assert(error.details['observed'])
      assert.equal(panel.kernel.picture(), before)
    })

    it('does not write over a foreign unit file: 409', async () => {
      panel.kernel.files.set('tunnel-panel-link-x.service', '[Unit]\n')
      const { status, error } = await createTunnel(client, { interface_name: 'x' })
      assert.deepEqual([status, error.code], [409, 'FOREIGN_UNIT_FILE'])
      assert.equal((await createTunnel(client, { interface_name: 'x', persistence_type_id: 30 })).status, 201)
    })

    it("answers 503 with the kernel's reason where the kernel cannot make such tunnels, but 422 first", async () => {
      panel.kernel.supportsGre = false
      const { status, error } = await createTunnel(client)
      assert.deepEqual(
        [status, error.code, error.field, error.details['detail']],
        [503, 'SERVICE_UNAVAILABLE', 'tunnel_type_id', 'Unknown device type'],
      )
      assert.deepEqual((await previewTunnel(client)).error, error)
      assert.equal((await createTunnel(client, { mtu: 1 })).status, 422)
      assert.equal((await listTunnels(client)).body.total, 0)
    })

    it('refuses endpoints and key that another tunnel has: 422 on remote_endpoint', async () => {
      await createTunnel(client, { ikey: 5, okey: 5 })
      const { status, error } = await createTunnel(client, { ikey: 5, okey: 5 })
      assert.deepEqual([status, error.field], [422, 'remote_endpoint'])
      assert.equal((error.details['fields'] as { code: string }[])[0]?.code, 'TUNNEL_ENDPOINT_CONFLICT')
    })

    it('is in the audit log with its steps and its tunnel', async () => {
      await createTunnel(client)
      const entry = await panel.db
        .selectFrom('audit_log')
        .selectAll()
        .where('audit_action_id', '=', 40)
        .executeTakeFirstOrThrow()
      assert.deepEqual([entry.target_type, entry.target_id, entry.is_success], ['tunnel', 1, 1])
      assert.deepEqual(JSON.parse(entry.operations), [
        'link_create',
        'address_add',
        'link_up',
        'file_write',
        'systemd_enable',
      ])
    })
  })

  describe('POST /tunnels/preview', () => {
    it('shows steps, unit file, checks and MTU, and changes nothing', async () => {
      const picture = panel.kernel.picture()
      const { status, body } = await previewTunnel(client)
      assert.equal(status, 200)
      assert.deepEqual(
        body.plan.files.map(({ kind, path }) => ({ kind, path })),
        [{ kind: 'systemd_unit', path: UNIT }],
      )
      assert.match(body.plan.files[0]?.content ?? '', /^ExecStart=\/usr\/sbin\/ip link add /m)
      assert.equal(body.plan.requires_recreate, false)
      assert.deepEqual([body.mtu.overhead, body.mtu.recommended, body.mtu.underlay_device], [28, 1472, 'eth0'])
      assert.deepEqual([panel.kernel.changes, panel.kernel.picture()], [[], picture])
      assert.equal((await listTunnels(client)).body.total, 0)
      assert.equal(await auditEntries(panel), 0)
    })

    it('shows the very plan that creating then carries out, when its resolved request is posted', async () => {
      for (const requests of [
        {},
        { tunnel_side_id: 20, ikey: null },
        { tunnel_type_id: 20, mtu: 9000, tos: 16, address_pool_id: 20 },
        { interface_name: 'mine', is_enabled: false, addresses: [{ address: 'fd00:1::1', prefix_length: 64 }] },
      ]) {
        const { body: shown } = await previewTunnel(client, requests)
        const { status, body: made, text } = await createTunnel(client, shown.resolved)
        assert.equal(status, 201, text)
        assert.deepEqual({ ...made.plan, tunnel_id: null }, shown.plan)
        assert.deepEqual(
          made.verification.checks.map(({ name, expected }) => ({ name, expected })),
          shown.plan.verification,
        )
        assert.equal(
          panel.kernel.files.get(made.plan.files[0]?.path.split('/').at(-1) ?? ''),
          shown.plan.files[0]?.content,
        )
        assert.equal(made.tunnel.is_name_templated, requests.interface_name === undefined)
        await deleteTunnel(client, made.tunnel.tunnel_id)
      }
    })

    it('refuses what creating would refuse', async () => {
      const { status, error } = await previewTunnel(client, { mtu: 1, remote_endpoint: 'x' })
      assert.deepEqual([status, error.field], [422, 'remote_endpoint'])
    })
  })

  describe('GET /tunnels', () => {
    it('lists tunnels with what is stored and what is observed kept apart', async () => {
      await createTunnel(client)
      panel.kernel.held.delete('gre-a-1')
      const { body } = await listTunnels(client)
      assert.deepEqual([body.total, body.limit, body.offset], [1, 100, 0])
      const [tunnel] = body.tunnels
      assert.deepEqual([tunnel?.mtu, tunnel?.is_enabled, tunnel?.apply_status], [1472, true, 'Applied'])
      assert.deepEqual([tunnel?.observed.exists, tunnel?.observed.is_known, tunnel?.observed.mtu], [false, true, null])
      assert.deepEqual(tunnel, (await getTunnel(client, 1)).body)
    })

    it('pages and filters', async () => {
      for (const more of [
        { display_name: 'Hamburg 100%' },
        { is_enabled: false, tags: ['x_y'] },
        { tunnel_type_id: 20, display_name: 'Москва ΟΔΟΣ Straße' },
      ])
        await createTunnel(client, more)
      const ids = async (query: string): Promise<number[]> =>
        (await listTunnels(client, query)).body.tunnels.map(({ tunnel_id }) => tunnel_id)
      assert.deepEqual(await ids(''), [1, 2, 3])
      assert.deepEqual(await ids('?limit=1&offset=1'), [2])
      assert.deepEqual(await ids('?limit=-1&offset=x'), [1, 2, 3])
      assert.deepEqual(await ids('?search=HAMBURG'), [1])
      assert.deepEqual(await ids('?search=100%25'), [1])
      for (const word of ['МОСКВА', 'москва', 'οδος', 'οδοσ', 'ΟΔΟ', 'STRASSE', 'straße'])
        assert.deepEqual(await ids(`?search=${encodeURIComponent(word)}`), [3], word)
      for (const inner of ['172.17.2.1', '172.17.2.2', '172.17.2.1/30'])
        assert.deepEqual(await ids(`?search=${encodeURIComponent(inner)}`), [2], inner)
      assert.deepEqual(await ids('?search=_'), [2])
      assert.deepEqual(await ids('?is_enabled=false'), [2])
      assert.deepEqual(await ids('?tunnel_type_id=20'), [3])
      assert.deepEqual(await ids('?state=applied'), [1, 2, 3])
      assert.deepEqual(await ids('?state=Failed'), [])
      assert.equal((await listTunnels(client, '?limit=5000')).body.limit, 1000)
      assert.equal((await listTunnels(client, '?limit=1')).body.total, 3)
    })
  })
})

const auditEntries = async (panel: TestPanel): Promise<number> =>
  (await panel.db.selectFrom('audit_log').select('audit_log_id').where('target_type', '=', 'tunnel').execute()).length
