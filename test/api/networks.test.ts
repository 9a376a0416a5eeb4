// Networks behind tunnels, as reference.md has them, over the fake kernel.
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import {
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  eachPanelWithTunnels,
  movePath,
  patchNetwork,
  PREFERRED,
  statesOf,
} from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { createTunnel, patchTunnel } from './support/tunnels.ts'

describe('A network behind tunnels', () => {
  let panel: TestPanel
  let client: Client
  eachPanelWithTunnels((made) => ({ panel, client } = made))

  const kept = (destination: string) => panel.kernel.networks.held.get(destination)
  const carrying = (destination: string): string[] =>
    (panel.kernel.networks.routes.get(destination)?.paths ?? []).map(({ interface_name }) => interface_name)

  describe('that is made', () => {
    it('has a route in the kernel over its path, and is answered with plan, checks and what was read back', async () => {
      const { status, body } = await createNetwork(client)
      assert.equal(status, 201)
      const { network, plan, verification, warnings } = body
      assert.deepEqual(
        [network.network_id, network.network_title, network.destination, network.metric, network.apply_status],
        [1, '10.50.0.0/16', '10.50.0.0/16', 50, 'Applied'],
      )
      assert.deepEqual(network.kernel_route, {
        metric: 50,
        source_address: null,
        paths: [{ interface_name: 'gre-a-1', weight: 1 }],
      })
      assert.deepEqual([network.lacks, network.is_known, warnings], [[], true, []])
      assert.deepEqual(
        [plan.operation, plan.network_id, plan.steps.map(({ kind }) => kind)],
        ['create', 1, ['network_keep', 'network_route_set']],
      )
      assert.ok(plan.rollback.length > 0 && verification.ok && verification.checks.length > 0)
      assert.deepEqual((await getNetwork(client, 1)).body, network)
      assert.deepEqual(carrying('10.50.0.0/16'), ['gre-a-1'])
    })

    it('says of each path which tunnel it is, whether it carries, and why', async () => {
      await patchTunnel(client, 2, { display_name: 'Frankfurt' })
      const { body } = await createNetwork(client, { paths: PREFERRED })
      assert.deepEqual(
        body.network.paths.map(({ interface_name, display_name, state, reason, since }) => [
          interface_name,
          display_name,
          state,
          reason,
          since,
        ]),
        [
          ['gre-a-1', '', 'carries', 'No other usable path is preferred to it.', null],
          ['gre-a-2', 'Frankfurt', 'standby', 'A preferred path carries.', null],
        ],
      )
    })

    it('cuts bits off behind the length, and takes an address as a network of one', async () => {
      assert.equal(
        (await createNetwork(client, { destination: '10.50.3.4/16' })).body.network.destination,
        '10.50.0.0/16',
      )
      assert.equal((await createNetwork(client, { destination: '10.66.0.1' })).body.network.destination, '10.66.0.1/32')
    })

    it('shares by weight among paths of equal preference', async () => {
      const paths = [
        { tunnel_id: 1, weight: 3 },
        { tunnel_id: 2, weight: 1 },
      ]
      const { body } = await createNetwork(client, { paths })
      assert.deepEqual(body.network.kernel_route?.paths, [
        { interface_name: 'gre-a-1', weight: 3 },
        { interface_name: 'gre-a-2', weight: 1 },
      ])
      assert.deepEqual(statesOf(body.network), { 'gre-a-1': 'carries', 'gre-a-2': 'carries' })
    })

    it('has its own addresses on the loopback interface, and one of them as the source of what this server sends', async () => {
      const { status, body, text } = await createNetwork(client, {
        own_addresses: ['10.66.0.1/32', '10.66.0.2'],
        source_address: '10.66.0.1',
      })
      assert.equal(status, 201, text)
      assert.deepEqual(body.network.own_addresses, ['10.66.0.1', '10.66.0.2'])
      assert.equal(body.network.kernel_route?.source_address, '10.66.0.1')
      assert.deepEqual([...panel.kernel.networks.addresses], ['10.66.0.1', '10.66.0.2'])
    })

    it('can be disabled: it is stored, and the host has nothing of it', async () => {
      const { body } = await createNetwork(client, { is_enabled: false })
      assert.deepEqual(
        [body.network.kernel_route, body.network.lacks, body.plan.operation, kept('10.50.0.0/16')],
        [null, [], 'none', undefined],
      )
      assert.equal((await patchNetwork(client, 1, { is_enabled: true })).body.network.kernel_route?.metric, 50)
    })

    it('takes over what root keeps to its destination already', async () => {
      await createNetwork(client, { metric: 70 })
      await panel.db.updateTable('network').set({ deleted_date: panel.clock.now().toISOString() }).execute()
      const { status, body } = await createNetwork(client)
      assert.deepEqual([status, body.plan.operation, kept('10.50.0.0/16')?.metric], [201, 'update', 50])
    })

    it('is made once with an idempotency key', async () => {
      const key = { idempotency_key: 'a key' }
      const [first, second] = [await createNetwork(client, key), await createNetwork(client, key)]
      assert.deepEqual([first.status, second.text], [201, first.text])
      assert.equal((await listNetworks(client)).body.total, 1)
    })
  })

  describe('that is changed', () => {
    beforeEach(async () => {
      await createNetwork(client, { paths: PREFERRED })
    })

    it('is on the host what it is in the store afterwards', async () => {
      const { status, body } = await patchNetwork(client, 1, { metric: 60, own_addresses: ['10.66.0.1'] })
      assert.deepEqual([status, body.plan.operation], [200, 'update'])
      assert.deepEqual([body.network.metric, body.network.kernel_route?.metric], [60, 60])
      assert.deepEqual([...panel.kernel.networks.addresses], ['10.66.0.1'])
      assert.deepEqual(statesOf(body.network), { 'gre-a-1': 'carries', 'gre-a-2': 'standby' })
    })

    it('leads to another destination: the old one goes, and a title that nobody gave goes with it', async () => {
      const { body } = await patchNetwork(client, 1, { destination: '10.52.0.0/16' })
      assert.deepEqual(
        [body.network.network_title, body.plan.destinations.sort()],
        ['10.52.0.0/16', ['10.50.0.0/16', '10.52.0.0/16']],
      )
      assert.deepEqual(
        [kept('10.50.0.0/16'), carrying('10.50.0.0/16'), carrying('10.52.0.0/16')],
        [undefined, [], ['gre-a-1']],
      )
      await patchNetwork(client, 1, { network_title: 'Office' })
      assert.equal(
        (await patchNetwork(client, 1, { destination: '10.53.0.0/16' })).body.network.network_title,
        'Office',
      )
    })

    it('keeps what was taken out by hand where its paths are given again', async () => {
      await movePath(client, 1, 1, 'take-out')
      const { body } = await patchNetwork(client, 1, { paths: [...PREFERRED].reverse() })
      assert.deepEqual(statesOf(body.network), { 'gre-a-2': 'carries', 'gre-a-1': 'out' })
    })

    it('in its labels alone asks root for nothing', async () => {
      const before = panel.kernel.changes.length
      const { body } = await patchNetwork(client, 1, { network_title: 'Office', note: 'x', metric: 50 })
      assert.deepEqual(
        [body.network.network_title, body.network.note, body.plan.operation, body.network.is_known],
        ['Office', 'x', 'none', false],
      )
      assert.equal(panel.kernel.changes.length, before)
    })

    it('without fields puts right what differs on the host', async () => {
      panel.kernel.networks.routes.clear()
      const { status, body } = await patchNetwork(client, 1, {})
      assert.deepEqual(
        [status, body.plan.steps.map(({ kind }) => kind), body.network.lacks],
        [200, ['network_route_set'], []],
      )
      panel.kernel.networks.held.clear()
      panel.kernel.networks.routes.clear()
      assert.deepEqual((await patchNetwork(client, 1, {})).body.network.lacks, [])
      assert.deepEqual((await patchNetwork(client, 1, {})).body.plan.operation, 'none')
    })

    it('is refused where it was changed meanwhile: 412', async () => {
      const { updated_date } = (await getNetwork(client, 1)).body
      const match = (version: string) => ({ headers: { 'If-Match': `"${version}"` } })
      panel.clock.advance(1)
      assert.equal((await patchNetwork(client, 1, { metric: 60 }, match(updated_date))).status, 200)
      const { status, error } = await patchNetwork(client, 1, { metric: 70 }, match(updated_date))
      assert.deepEqual([status, error.code], [412, 'PRECONDITION_FAILED'])
    })

    it('is deleted with its route and its own addresses, and 404 from then on', async () => {
      await patchNetwork(client, 1, { own_addresses: ['10.66.0.1'] })
      const { status, body } = await deleteNetwork(client, 1)
      assert.deepEqual([status, body.network_id, body.plan.operation, body.verification.ok], [200, 1, 'delete', true])
      const { held, routes, addresses } = panel.kernel.networks
      assert.deepEqual([held.size, routes.size, addresses.size], [0, 0, 0])
      for (const reply of [
        await getNetwork(client, 1),
        await deleteNetwork(client, 1),
        await patchNetwork(client, 1, {}),
      ])
        assert.deepEqual([reply.status, reply.error.code], [404, 'NOT_FOUND'])
      assert.equal((await createNetwork(client)).body.network.network_id, 2)
    })
  })

  describe('whose path is taken out by hand', () => {
    beforeEach(async () => {
      await createNetwork(client, { paths: PREFERRED })
    })

    it('goes over the next one, and back when it is put back', async () => {
      const { status, body } = await movePath(client, 1, 1, 'take-out')
      assert.deepEqual([status, body.action, carrying('10.50.0.0/16')], [200, 'take_out', ['gre-a-2']])
      const [first] = body.network.paths
      assert.deepEqual([first?.state, first?.reason], ['out', 'It was taken out by hand.'])
      assert.ok(first?.since !== null && first?.since === first?.taken_out_date)
      const back = await movePath(client, 1, 1, 'put-back')
      assert.deepEqual([back.body.action, carrying('10.50.0.0/16')], ['put_back', ['gre-a-1']])
      assert.equal(back.body.network.paths[0]?.since, null)
    })

    it('goes over the most preferred one where all are out', async () => {
      for (const tunnel_id of [2, 1]) await movePath(client, 1, tunnel_id, 'take-out')
      const { body } = await getNetwork(client, 1)
      assert.deepEqual(statesOf(body), { 'gre-a-1': 'carries', 'gre-a-2': 'out' })
      assert.match(body.paths[0]?.reason ?? '', /by hand\. It carries all the same/)
      assert.deepEqual(carrying('10.50.0.0/16'), ['gre-a-1'])
    })

    it('keeps since when it is out where that is repeated, and asks root for nothing', async () => {
      const { since } = (await movePath(client, 1, 2, 'take-out')).body.network.paths[1] ?? {}
      const before = panel.kernel.changes.length
      panel.clock.advance(60)
      const again = await movePath(client, 1, 2, 'take-out')
      assert.deepEqual([again.body.network.paths[1]?.since, again.body.plan.operation], [since, 'none'])
      assert.equal(panel.kernel.changes.length, before)
    })

    it('is 404 for a tunnel that is no path of it', async () => {
      await patchNetwork(client, 1, { paths: [{ tunnel_id: 1 }] })
      for (const action of ['take-out', 'put-back'] as const)
        assert.deepEqual(
          [(await movePath(client, 1, 2, action)).status, (await movePath(client, 9, 1, action)).status],
          [404, 404],
        )
    })
  })

  it('is written to the audit log under actions of its own', async () => {
    await createNetwork(client, { paths: PREFERRED })
    await patchNetwork(client, 1, { metric: 60 })
    await movePath(client, 1, 1, 'take-out')
    await movePath(client, 1, 1, 'put-back')
    await deleteNetwork(client, 1)
    const { body } = await client.get<{ entries: { action: string; audit_action_id: number; target_id: number }[] }>(
      '/audit?target_type=network',
    )
    assert.deepEqual(
      body.entries.map(({ action, target_id }) => [action, target_id]),
      ['NetworkDelete', 'NetworkPathBack', 'NetworkPathOut', 'NetworkUpdate', 'NetworkCreate'].map((action) => [
        action,
        1,
      ]),
    )
  })

  it('of IPv6 goes the same way', async () => {
    const { status } = await createTunnel(client, {
      remote_endpoint: '203.0.113.3',
      addresses: [{ address: 'fd00:1::1', prefix_length: 64 }],
    })
    assert.equal(status, 201)
    const { body, text } = await createNetwork(client, {
      destination: 'FD00:50::/56',
      paths: [{ tunnel_id: 3 }],
      own_addresses: ['fd00:66::1/128'],
    })
    assert.deepEqual([body.network?.destination, body.network?.own_addresses], ['fd00:50::/56', ['fd00:66::1']], text)
  })
})
