// POST /revisions/{id}/restore, as reference.md has it, over the fake kernel.
import assert from 'node:assert/strict'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import { LOST } from '@panel/shared/events/model.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { eventually } from '../support/eventually.ts'
import { fakeInterface } from '../support/fake-interfaces.ts'
import { exportOf, furnish } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { createNetwork, deleteNetwork, getNetwork } from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { differencesSince, lastRevision, listRevisions, restore } from './support/revisions.ts'
import { deleteRoute, getRoute, madeRoute, patchRoute, reorder } from './support/routes.ts'
import { set } from './support/settings.ts'
import { createTunnel, deleteTunnel, getTunnel, patchTunnel } from './support/tunnels.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A restore', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  const here = async (): Promise<number> => (await lastRevision(client)).revision_id
  const configuration = async () => {
    const { exported_at: _when, ...rest } = await exportOf(client)
    return rest
  }
  const whole = async (revision_id: number, body: object = {}): Promise<string[]> => {
    const answer = await restore(client, revision_id, body)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual([answer.body.is_taken_back, answer.body.dry_run], [false, false], answer.text)
    return answer.body.steps.map(({ method, path, outcome }) => `${method} ${path} ${outcome}`)
  }

  it('takes everything to what it was, on the host as well, and leaves a revision of its own', async () => {
    await furnish(client)
    await createNetwork(client)
    const [at, before, host] = [await here(), await configuration(), panel.kernel.picture()]
    await patchRoute(client, 1, { bind_port: 4444, route_rule_title: 'other' })
    await deleteRoute(client, 2)
    await deleteTunnel(client, 4)
    await deleteNetwork(client, 1)
    await patchTunnel(client, 1, { mtu: 1300, note: 'changed' })
    await set(client, { 'display.theme': 'light', 'tunnel.default_mtu': 1400 })
    await madeRoute(client, { bind_port: 9999 })
    assert.equal((await differencesSince(client, at)).length, 8)
    const steps = await whole(at)
    assert.ok(steps.every((step) => step.endsWith(' done')))
    assert.deepEqual(await differencesSince(client, at), [])
    assert.deepEqual([await configuration(), panel.kernel.picture()], [before, host])
    const { action, item_count } = await lastRevision(client)
    assert.deepEqual([action, item_count], ['RevisionRestore', 8])
  })

  it('can itself be undone, and twice is once', async () => {
    await createTunnel(client)
    const first = await here()
    await patchTunnel(client, 1, { mtu: 1400 })
    const second = await here()
    await whole(first)
    assert.equal((await getTunnel(client, 1)).body.mtu, 1472)
    const { total } = (await listRevisions(client)).body
    assert.deepEqual(await whole(first), [])
    assert.equal((await listRevisions(client)).body.total, total)
    await whole(second)
    assert.equal((await getTunnel(client, 1)).body.mtu, 1400)
  })

  it('brings back what was deleted under its own id, with what referred to it', async () => {
    await createTunnel(client)
    await createNetwork(client)
    await madeRoute(client, { route_rule_title: 'over it', tunnel_id: 1 })
    const { body: pool } = await client.post<{ address_pool_id: number }>('/pools', {
      address_pool_title: 'Mine',
      cidr: '10.77.0.0/16',
    })
    const at = await here()
    await deleteRoute(client, 1)
    await deleteNetwork(client, 1)
    await deleteTunnel(client, 1)
    await client.delete(`/pools/${pool.address_pool_id}`)
    assert.deepEqual(await whole(at), [
      'POST /pools done',
      'POST /tunnels done',
      'POST /networks done',
      'POST /routes done',
    ])
    const { route } = (await getRoute(client, 1)).body
    assert.deepEqual([route.route_rule_title, route.tunnel_id], ['over it', 1])
    assert.equal((await getTunnel(client, 1)).body.interface_name, 'gre-a-1')
    assert.equal((await getNetwork(client, 1)).body.paths[0]?.tunnel_id, 1)
    assert.equal((await client.get(`/pools/${pool.address_pool_id}`)).status, 200)
  })

  it('brings back a rule whose tunnel was deleted before it, without that tunnel, and nothing differs', async () => {
    await createTunnel(client)
    await madeRoute(client, { tunnel_id: 1 })
    await deleteTunnel(client, 1)
    const at = await here()
    await deleteRoute(client, 1)
    assert.deepEqual(await whole(at), ['POST /routes done'])
    assert.equal((await getRoute(client, 1)).body.route.tunnel_id, null)
    assert.deepEqual([await differencesSince(client, at), await whole(at)], [[], []])
  })

  it('takes only what is named, where something is named', async () => {
    await createTunnel(client)
    await madeRoute(client)
    const at = await here()
    await patchTunnel(client, 1, { mtu: 1400 })
    await patchRoute(client, 1, { bind_port: 4444 })
    assert.deepEqual(await whole(at, { only: [{ kind: 'route', target_key: '1' }] }), ['PATCH /routes/1 done'])
    assert.equal((await getTunnel(client, 1)).body.mtu, 1400)
    const { status, error } = await restore(client, at, { only: [{ kind: 'route', target_key: '7' }] })
    assert.deepEqual([status, error?.field], [422, 'only.0'])
    assert.equal((await restore(client, 9999)).status, 404)
  })

  it('gives rules their ports, titles and places back, though each has what another one had', async () => {
    for (const [route_rule_title, bind_port] of [
      ['one', 1001],
      ['two', 1002],
      ['three', 1003],
    ] as const)
      await madeRoute(client, { route_rule_title, bind_port })
    const [at, before, host] = [await here(), await configuration(), panel.kernel.picture()]
    await patchRoute(client, 1, { bind_port: 1000, route_rule_title: 'none' })
    await patchRoute(client, 2, { bind_port: 1001, route_rule_title: 'one' })
    await patchRoute(client, 3, { bind_port: 1002, route_rule_title: 'two' })
    await patchRoute(client, 1, { bind_port: 1003, route_rule_title: 'three' })
    await reorder(client, [3, 1, 2])
    await whole(at)
    assert.deepEqual([await configuration(), panel.kernel.picture()], [before, host])
  })

  it('that fails in a part leaves everything as it is, and says which', async () => {
    await createTunnel(client)
    await madeRoute(client)
    const at = await here()
    await deleteTunnel(client, 1)
    await patchRoute(client, 1, { bind_port: 4444 })
    panel.kernel.hostInterfaces.push({ ...panel.kernel.hostInterfaces[1]!, name: 'gre-a-1', index: 99 })
    const [before, host] = [await configuration(), panel.kernel.picture()]
    const { status, body } = await restore(client, at)
    assert.deepEqual([status, body.is_taken_back], [200, true])
    const failed = body.steps.filter(({ outcome }) => outcome === 'failed')
    assert.deepEqual(
      failed.map(({ path, items }) => [path, items[0]?.title]),
      [['/tunnels', 'gre-a-1']],
    )
    assert.ok((failed[0]?.error?.message.length ?? 0) > 0)
    assert.deepEqual([await configuration(), panel.kernel.picture()], [before, host])
    const { state, action } = await lastRevision(client)
    assert.deepEqual([state, action], ['taken_back', 'RevisionRestore'])
  })

  it('says beforehand what it would do, and does nothing of it', async () => {
    await createTunnel(client)
    const at = await here()
    await patchTunnel(client, 1, { mtu: 1400 })
    await set(client, { 'display.theme': 'dark' })
    const [before, host, { total }] = [
      await configuration(),
      panel.kernel.picture(),
      (await listRevisions(client)).body,
    ]
    const { body } = await restore(client, at, { dry_run: true })
    assert.deepEqual(
      body.steps.map(({ method, path, outcome, error }) => [method, path, outcome, error]),
      [
        ['PUT', '/settings', 'planned', null],
        ['PATCH', '/tunnels/1', 'planned', null],
      ],
    )
    const impact = await client.post<ImpactAnswer>('/impact', {
      method: 'POST',
      path: `/revisions/${at}/restore`,
      body: {},
    })
    assert.equal(impact.status, 200, impact.text)
    assert.deepEqual(
      impact.body.plan.steps.map(({ kind }) => kind),
      ['link_set_mtu', 'file_write'],
    )
    assert.deepEqual(
      [await configuration(), panel.kernel.picture(), (await listRevisions(client)).body.total],
      [before, host, total],
    )
  })

  it('leaves alone what follows something else, as an address its interface, whatever it was then', async () => {
    const has = (address: string): void => {
      panel.kernel.hostInterfaces = [
        ...panel.kernel.hostInterfaces.filter(({ name }) => name !== 'ppp0'),
        fakeInterface('ppp0', 7, 'other', [address]),
      ]
    }
    has('203.0.113.7/32')
    const rule = await madeRoute(client, { bind_address: undefined, bind_address_interface: 'ppp0' })
    const at = await here()
    const { total } = (await listRevisions(client)).body
    has('203.0.113.8/32')
    const event = { ...LOST, subject: 'address', interface_name: 'ppp0' } as const
    panel.bus.publish('host.changed', { events: [event] })
    const bound = async () => (await getRoute(client, rule.route_rule_id)).body.route.bind_address
    await eventually(async () => (await bound()) === '203.0.113.8')
    assert.equal((await listRevisions(client)).body.total, total)
    assert.deepEqual(await differencesSince(client, at), [])
    await patchRoute(client, rule.route_rule_id, { route_rule_title: 'renamed' })
    assert.deepEqual(await whole(at), [`PATCH /routes/${rule.route_rule_id} done`])
    const { route } = (await getRoute(client, rule.route_rule_id)).body
    assert.deepEqual([route.bind_address, route.bind_address_interface], ['203.0.113.8', 'ppp0'])
    await deleteRoute(client, rule.route_rule_id)
    await whole(at)
    assert.equal(await bound(), '203.0.113.8')
  })

  it('leaves alone the own end that follows the route, and makes it automatic again', async () => {
    const own = async (): Promise<unknown> => {
      const { local_endpoint, is_local_endpoint_automatic } = (await getTunnel(client, 1)).body
      return [local_endpoint, is_local_endpoint_automatic]
    }
    await createTunnel(client, { local_endpoint: null })
    const at = await here()
    const { total } = (await listRevisions(client)).body
    panel.localEnds.start()
    panel.kernel.hostInterfaces = [fakeInterface('eth0', 2, 'physical', ['192.0.2.9/24'])]
    panel.bus.publish('host.changed', { events: [LOST] })
    await panel.localEnds.settled()
    assert.deepEqual([await own(), (await listRevisions(client)).body.total], [['192.0.2.9', true], total])
    assert.deepEqual(await differencesSince(client, at), [])
    await patchTunnel(client, 1, { local_endpoint: '192.0.2.77', confirm_recreate: true })
    assert.deepEqual(await whole(at), ['PATCH /tunnels/1 done'])
    assert.deepEqual(await own(), ['192.0.2.9', true])
    await deleteTunnel(client, 1)
    assert.deepEqual(await whole(at), ['POST /tunnels done'])
    assert.deepEqual(await own(), ['192.0.2.9', true])
  })

  it('waits for a confirmation where it is sent to, and comes back without it', async () => {
    await createTunnel(client)
    const at = await here()
    await patchTunnel(client, 1, { mtu: 1400 })
    await whole(at, { confirm_within_seconds: 30 })
    const window = async () => (await client.get<SafeApplyAnswer>('/safe-apply')).body.window
    assert.ok(await window())
    assert.equal((await getTunnel(client, 1)).body.mtu, 1472)
    await client.post('/safe-apply/cancel', { window_id: (await window())?.window_id })
    assert.equal((await getTunnel(client, 1)).body.mtu, 1400)
  })

  it('of what guards the panel takes a fresh password, and of anything else none', async () => {
    await set(client, { 'security.allowed_origins': ['https://a.example'] })
    const at = await here()
    await set(client, { 'security.allowed_origins': [] })
    panel.clock.advance(601)
    await client.post('/auth/refresh')
    const refused = await restore(client, at)
    assert.deepEqual([refused.status, refused.error?.code], [403, 'FRESH_PASSWORD_REQUIRED'])
    assert.deepEqual(await whole(at, { only: [{ kind: 'setting', target_key: 'display.theme' }] }), [])
    await client.post('/auth/confirm', { current_password: 'correct horse battery' })
    assert.deepEqual(await whole(at), ['PUT /settings done'])
  })
})
