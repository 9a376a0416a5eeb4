// Adopting over a fake kernel: a tunnel that was made by hand is taken under management unchanged (reference.md, POST
// /reconcile/adopt; decisions.md, S12, S13, R14).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { adopt, forget, ignore, itemOf, plantByHand, reapply, reconcile } from './support/reconcile.ts'
import { codesOf, createTunnel, getTunnel, patchTunnel, startFaultyPanel, type FaultyPanel } from './support/tunnels.ts'

describe('Adopting a tunnel', () => {
  let panel: FaultyPanel
  let client: Client
  beforeEach(async () => {
    panel = await startFaultyPanel()
    client = await panel.setUp()
    plantByHand(panel.host, 'by-hand')
  })
  afterEach(() => panel.close())

  const host = (): TestPanel['kernel'] => panel.host
  const codes = (warnings: readonly { code: string }[]): string[] => warnings.map(({ code }) => code)

  it('makes an Unmanaged interface InSync: not renamed, not bounced, side A, name not templated', async () => {
    const index = host().held.get('by-hand')?.index
    const { status, body } = await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual([status, body.interface_bounced, body.legacy], [201, false, null])
    const { tunnel } = body
    assert.deepEqual(
      [
        tunnel.interface_name,
        tunnel.is_name_templated,
        tunnel.tunnel_side_id,
        tunnel.tunnel_number,
        tunnel.apply_status,
        tunnel.is_managed,
      ],
      ['by-hand', false, 10, null, 'Applied', true],
    )
    assert.equal(tunnel.observed.index, index)
    const item = await itemOf(client, 'by-hand')
    assert.deepEqual([item.status, item.tunnel_id, item.diffs], ['InSync', tunnel.tunnel_id, []])
  })

  it('touches neither kernel nor files: nothing at all is changed', async () => {
    const picture = host().picture()
    await adopt(client, { interface_name: 'by-hand' })
    assert.deepEqual([host().picture(), host().changes], [picture, []])
  })

  it('imports every field from what the kernel holds, and says which', async () => {
    const fields = {
      remote_endpoint: '198.51.100.9',
      ikey: 5,
      okey: null,
      ttl: 7,
      tos: '0x10',
      has_output_checksum: true,
      has_input_sequence: true,
      mtu: 1311,
      tx_queue_length: 4,
      is_multicast: true,
      fwmark: 9,
      bind_device: 'eth0',
    } as const
    plantByHand(
      host(),
      'odd',
      {
        ...fields,
        addresses: [
          { address: '10.10.9.1', peer_address: '10.10.9.2', prefix_length: 32 },
          { address: 'fd00::1', peer_address: '', prefix_length: 64 },
        ],
      },
      { is_up: false },
    )
    const { body } = await adopt(client, { interface_name: 'odd' })
    const { addresses, ...record } = body.tunnel
    for (const [field, value] of Object.entries(fields))
      assert.deepEqual([field, record[field as keyof typeof record], body.imported[field]], [field, value, value])
    assert.deepEqual(
      [
        record.is_enabled,
        body.imported['is_enabled'],
        addresses.map((a) => [a.address, a.peer_address, a.prefix_length, a.is_primary]),
      ],
      [
        false,
        false,
        [
          ['10.10.9.1', '10.10.9.2', 32, true],
          ['fd00::1', '', 64, false],
        ],
      ],
    )
    assert.equal((await itemOf(client, 'odd')).status, 'InSync')
  })

  it('takes each of the four kinds', async () => {
    const v6 = {
      local_endpoint: '2001:db8::1',
      remote_endpoint: '2001:db8::2',
      encap_limit: 4,
      flow_label: 7,
      tos: '0x08',
      ttl: 9,
    }
    for (const [kind, tunnel_type_id, fields] of [
      ['gretap', 20, {}],
      ['ip6gre', 30, v6],
      ['ip6gretap', 40, v6],
    ] as const) {
      plantByHand(host(), kind, { kind, ...fields })
      assert.equal((await adopt(client, { interface_name: kind })).body.tunnel.tunnel_type_id, tunnel_type_id)
      assert.equal((await itemOf(client, kind)).status, 'InSync')
    }
  })

  it('gives a legacy name its number where that is free, and side A whatever its marker', async () => {
    plantByHand(host(), 'gre-ab-7', { remote_endpoint: '198.51.100.9' })
    plantByHand(host(), 'gre-cd-7', { remote_endpoint: '198.51.100.10' })
    const first = await adopt(client, { interface_name: 'gre-ab-7' })
    assert.deepEqual(
      [
        first.body.tunnel.tunnel_number,
        first.body.tunnel.tunnel_side_id,
        first.body.legacy?.tunnel_number,
        first.body.legacy?.marker,
      ],
      [7, 10, 7, 'ab'],
    )
    const second = await adopt(client, { interface_name: 'gre-cd-7' })
    assert.deepEqual([second.body.tunnel.tunnel_number, second.body.legacy?.tunnel_number], [null, 7])
    assert.equal((await itemOf(client, 'gre-ab-7')).legacy?.tunnel_number, 7)
  })

  it('takes side, pool and note from the request, and else finds the pool by its range', async () => {
    const { body } = await adopt(client, { interface_name: 'by-hand' })
    assert.equal(body.tunnel.address_pool_id, 20)
    await forget(client, body.tunnel.tunnel_id)
    const again = await adopt(client, {
      interface_name: 'by-hand',
      tunnel_side_id: 20,
      address_pool_id: 10,
      note: 'from Bob',
    })
    assert.deepEqual(
      [again.body.tunnel.tunnel_side_id, again.body.tunnel.address_pool_id, again.body.tunnel.note],
      [20, 10, 'from Bob'],
    )
    plantByHand(host(), 'elsewhere', {
      remote_endpoint: '198.51.100.9',
      addresses: [{ address: '192.168.3.1', peer_address: '', prefix_length: 30 }],
    })
    assert.equal((await adopt(client, { interface_name: 'elsewhere' })).body.tunnel.address_pool_id, null)
  })

  it('warns of what the panel cannot keep, which a recreate may not lose', async () => {
    plantByHand(host(), 'rich', { remote_endpoint: '198.51.100.9' }, { unmodelled: ['alias the office', 'group 7'] })
    const { body } = await adopt(client, { interface_name: 'rich' })
    assert.match(
      body.warnings.find(({ code }) => code === 'UNMODELLED_STATE')?.message ?? '',
      /alias the office, group 7/,
    )
    const id = body.tunnel.tunnel_id
    assert.equal((await patchTunnel(client, id, { mtu: 1300, ttl: 9 })).status, 200)
    const refused = await patchTunnel(client, id, { tunnel_type_id: 20, confirm_recreate: true })
    assert.deepEqual([refused.status, refused.error.code], [409, 'CONFLICT'])
    assert.match(refused.error.message, /alias the office/)
    assert.deepEqual((await itemOf(client, 'rich')).unmodelled, ['alias the office', 'group 7'])
  })

  it("warns of a stored tunnel with the same endpoints and key, as after a renaming behind the panel's back", async () => {
    const { body } = await createTunnel(client)
    const held = host().held.get('gre-a-1')
    assert(held)
    host().held.delete('gre-a-1')
    host().held.set('renamed', held)
    const adopted = await adopt(client, { interface_name: 'renamed' })
    assert.ok(codes(adopted.body.warnings).includes('TUNNEL_ENDPOINT_CONFLICT'))
    assert.deepEqual(
      [(await itemOf(client, 'renamed')).status, (await itemOf(client, 'gre-a-1')).status],
      ['InSync', 'Missing'],
    )
    await forget(client, body.tunnel.tunnel_id)
  })

  it('is of an ignored interface too, which is reported again from then on', async () => {
    await ignore(client, { interface_name: 'by-hand' })
    assert.equal((await adopt(client, { interface_name: 'by-hand' })).status, 201)
    assert.deepEqual((await reconcile(client)).body.ignored_interfaces, [])
  })

  it("refuses what is managed, not there, the kernel's own, or no tunnel of ours, in clear words", async () => {
    await createTunnel(client)
    host().plant('vx0', { kind: 'vxlan' })
    plantByHand(host(), 'gre0', { remote_endpoint: '198.51.100.9' })
    for (const [interface_name, status, code] of [
      ['gre-a-1', 409, 'CONFLICT'],
      ['nobody', 404, 'NOT_FOUND'],
      ['gre0', 409, 'PROTECTED_INTERFACE'],
      ['vx0', 409, 'PROTECTED_INTERFACE'],
    ] as const) {
      const { error, ...answer } = await adopt(client, { interface_name })
      assert.deepEqual([answer.status, error.code, error.field], [status, code, 'interface_name'], interface_name)
      assert.ok(error.message.includes(interface_name))
    }
  })

  it('refuses a body that makes no sense, by its field', async () => {
    for (const [body, field] of [
      [{}, 'interface_name'],
      [{ interface_name: 'a b' }, 'interface_name'],
      [{ interface_name: 7 }, 'interface_name'],
      [{ interface_name: 'by-hand', tunnel_side_id: 3 }, 'tunnel_side_id'],
      [{ interface_name: 'by-hand', address_pool_id: 99 }, 'address_pool_id'],
      [{ interface_name: 'by-hand', persistence_type_id: 21 }, 'persistence_type_id'],
      [{ interface_name: 'by-hand', persistence_type_id: 30, takeover: true }, 'takeover'],
      [{ interface_name: 'by-hand', what: 1 }, 'what'],
    ] as const) {
      const reply = await adopt(client, body)
      assert.deepEqual(
        [reply.status, reply.error.code, reply.error.field],
        [422, 'VALIDATION_FAILED', field],
        JSON.stringify(body),
      )
      assert.ok(field in codesOf(reply))
    }
    assert.equal(host().changes.length, 0)
  })

  it('that cannot write its unit leaves everything as it was, and no record', async () => {
    const picture = host().picture()
    panel.arm((request) => (request === 2 ? 'refuses' : null))
    assert.equal((await adopt(client, { interface_name: 'by-hand', takeover: true })).error.code, 'APPLY_FAILED')
    assert.deepEqual([host().picture(), (await itemOf(client, 'by-hand')).status], [picture, 'Unmanaged'])
  })

  it('sent twice under one idempotency key adopts once, and without one answers that it is done', async () => {
    const headers = { 'Idempotency-Key': 'once' }
    const first = await client.post('/reconcile/adopt', { interface_name: 'by-hand' }, { headers })
    assert.equal((await client.post('/reconcile/adopt', { interface_name: 'by-hand' }, { headers })).text, first.text)
    assert.equal((await adopt(client, { interface_name: 'by-hand' })).status, 409)
  })

  it('is what a 409 ADOPTABLE of a create leads to', async () => {
    const refused = await createTunnel(client, { interface_name: 'by-hand' })
    assert.equal(refused.error.code, 'ADOPTABLE')
    const { adopt_path, interface_name } = refused.error.details
    const { status, body } = await client.post<{ tunnel: { tunnel_id: number } }>(String(adopt_path), {
      interface_name,
    })
    assert.equal(status, 201)
    assert.equal((await getTunnel(client, body.tunnel.tunnel_id)).body.interface_name, 'by-hand')
  })

  it('is in the audit log as TunnelAdopt with the tunnel, a refused one too', async () => {
    await adopt(client, { interface_name: 'by-hand' })
    await adopt(client, { interface_name: 'by-hand' })
    const entries = await panel.db
      .selectFrom('audit_log')
      .selectAll()
      .where('audit_action_id', '=', 100)
      .orderBy('audit_log_id')
      .execute()
    assert.deepEqual(
      entries.map(({ target_type, target_id, is_success }) => [target_type, target_id, is_success]),
      [
        ['tunnel', 1, 1],
        ['', null, 0],
      ],
    )
  })

  it('makes a tunnel like any other: it drifts, is put right, and is changed', async () => {
    const { body } = await adopt(client, { interface_name: 'by-hand', takeover: true })
    const id = body.tunnel.tunnel_id
    const state = host().held.get('by-hand')?.state
    assert(state)
    state.config = { ...state.config, mtu: 1111 }
    assert.equal((await itemOf(client, 'by-hand')).status, 'Drifted')
    assert.equal((await reapply(client, id)).body.verification.ok, true)
    assert.equal((await patchTunnel(client, id, { mtu: 1300 })).body.tunnel.mtu, 1300)
    assert.equal((await itemOf(client, 'by-hand')).status, 'InSync')
  })
})
