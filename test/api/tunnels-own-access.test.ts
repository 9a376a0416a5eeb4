// A request that comes through a tunnel does not cut it: every way to do so is refused until the operator accepts it
// (reference.md; decisions.md, T8, R22).
import assert from 'node:assert/strict'
import type { Client, Reply } from './support/client.ts'
import { fakeRoute, routeThrough } from '../support/fake-routes.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel } from './support/tunnels.ts'

const OWN = { address: '127.0.0.9', peer_address: '', prefix_length: 24 }
const OTHER = { address: '10.9.0.1', peer_address: '', prefix_length: 30 }

type Asking = (client: Client, more: object) => Promise<Reply>

/** What takes the link away or down, or the address that the client comes by. */
const CUTTING: Record<string, Asking> = {
  'PATCH that recreates the link': (client, more) =>
    client.patch('/tunnels/1', { tunnel_type_id: 20, confirm_recreate: true, ...more }),
  'PATCH of the outer header': (client, more) => client.patch('/tunnels/1', { ttl: 9, ...more }),
  'PATCH that gives it another name': (client, more) =>
    client.patch('/tunnels/1', { interface_name: 'berlin', confirm_recreate: true, ...more }),
  'PATCH that takes it down': (client, more) => client.patch('/tunnels/1', { is_enabled: false, ...more }),
  'PATCH that leaves the address out': (client, more) => client.patch('/tunnels/1', { addresses: [OTHER], ...more }),
  'POST down': (client, more) => client.post('/tunnels/1/down', more),
  'POST restart': (client, more) => client.post('/tunnels/1/restart', more),
  'DELETE of the address': (client, more) =>
    client.delete('/tunnels/1/addresses', { address: OWN.address, prefix_length: 24, ...more }),
}
/** What leaves the way open that the client comes by. */
const HARMLESS: Record<string, Asking> = {
  'PATCH of the MTU': (client) => client.patch('/tunnels/1', { mtu: 1400 }),
  'PATCH of what answers through it, while he comes to another address': (client) =>
    client.patch('/tunnels/1', { is_answered_through: true }),
  'PATCH of the persistence': (client) =>
    client.patch('/tunnels/1', { persistence_type_id: 30, confirm_recreate: true }),
  'POST up': (client) => client.post('/tunnels/1/up'),
  'POST reapply that has nothing to recreate': (client) => client.post('/tunnels/1/reapply'),
  'POST of one more address': (client) =>
    client.post('/tunnels/1/addresses', { address: '10.9.1.1', prefix_length: 30 }),
  'DELETE of another address': (client) =>
    client.delete('/tunnels/1/addresses', { address: OTHER.address, prefix_length: 30 }),
}

/**
 * A panel whose operator comes through a tunnel. No address inside a tunnel may be loopback, so store and kernel get
 * one behind the API's back.
 */
async function panelInside(own = OWN): Promise<{ panel: TestPanel; client: Client }> {
  const panel = await startPanel()
  const client = await panel.setUp()
  await createTunnel(client, { addresses: [{ address: '10.9.5.1', prefix_length: 24 }, OTHER] })
  await panel.db.updateTable('tunnel_address').set(own).where('sort_order', '=', 0).execute()
  const state = panel.kernel.held.get('gre-a-1')?.state
  assert(state)
  state.config = { ...state.config, addresses: [own, OTHER] }
  await client.post('/tunnels/1/reapply')
  panel.kernel.changes.length = 0
  return { panel, client }
}

describe('A request that comes through the tunnel', () => {
  for (const [what, request] of Object.entries(CUTTING)) {
    it(`by ${what} is refused with 409, whatever a header says, until the operator accepts losing access`, async () => {
      const { panel, client } = await panelInside()
      const picture = panel.kernel.picture()
      const { status, error } = await request(client, {})
      assert.deepEqual(
        [status, error.code, error.field, error.details['interface_name']],
        [409, 'WOULD_CUT_OWN_ACCESS', 'i_understand_i_may_lose_access', 'gre-a-1'],
      )
      assert.equal((await request(client, { i_understand_i_may_lose_access: false })).status, 409)
      assert.deepEqual([panel.kernel.picture(), panel.kernel.changes], [picture, []])
      const accepted = await request(client, { i_understand_i_may_lose_access: true })
      assert.equal(accepted.status, 200, accepted.text)
      await panel.close()
    })
  }

  it('at an address of the tunnel learns where the panel is reached afterwards, if anywhere', async () => {
    const { panel, client } = await panelInside({ ...OWN, address: '127.0.0.1' })
    const movedTo = async (method: 'patch' | 'post', path: string, body: object): Promise<unknown> =>
      (await client[method](path, body)).error.details['moves_to']
    const another = [{ address: '10.9.7.1', prefix_length: 30 }]
    assert.equal(await movedTo('patch', '/tunnels/1', { addresses: another }), '10.9.7.1')
    assert.equal(
      await movedTo('patch', '/tunnels/1', { addresses: [{ address: 'fd00:7::1', prefix_length: 64 }] }),
      null,
    )
    assert.equal(await movedTo('patch', '/tunnels/1', { addresses: another, is_enabled: false }), null)
    assert.equal(await movedTo('post', '/tunnels/1/restart', {}), null)
    await panel.close()
  })

  it('at an address of the tunnel is refused a change of what answers through it, either way, until he accepts it', async () => {
    const { panel, client } = await panelInside({ ...OWN, address: '127.0.0.1' })
    for (const [is_answered_through, how] of [
      [true, 'route_captured'],
      [false, 'route_goes'],
    ] as const) {
      const { status, error } = await client.patch('/tunnels/1', { is_answered_through })
      assert.deepEqual(
        [status, error.code, error.details['how'], error.details['network']],
        [409, 'WOULD_CUT_OWN_ACCESS', how, '127.0.0.1/32'],
      )
      const accepted = { is_answered_through, i_understand_i_may_lose_access: true }
      assert.equal((await client.patch('/tunnels/1', accepted)).status, 200)
    }
    await panel.close()
  })

  for (const [what, request] of Object.entries(HARMLESS)) {
    it(`by ${what} is carried out, for it cuts nobody off`, async () => {
      const { panel, client } = await panelInside()
      const { status, text } = await request(client, {})
      assert.equal(status, 200, text)
      await panel.close()
    })
  }

  it('by POST reapply is refused where the outer header has to be changed', async () => {
    const { panel, client } = await panelInside()
    const state = panel.kernel.held.get('gre-a-1')?.state
    assert(state)
    state.config = { ...state.config, ttl: 3 }
    assert.equal((await client.post('/tunnels/1/reapply')).error.code, 'WOULD_CUT_OWN_ACCESS')
    assert.equal((await client.post('/tunnels/1/reapply', { i_understand_i_may_lose_access: true })).status, 200)
    await panel.close()
  })

  it('is known by the source of the connection alone: a client from elsewhere may say in a header what it likes', async () => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await createTunnel(client)
    const { status } = await client.post(
      '/tunnels/1/down',
      {},
      { headers: { 'X-Forwarded-For': '172.17.1.2', 'X-Real-IP': '172.17.1.2', Forwarded: 'for=172.17.1.2' } },
    )
    assert.equal(status, 200)
    await panel.close()
  })
})

describe('A request whose answers go through the tunnel by the routing table', () => {
  /** The client is behind the far end: no subnet of the tunnel holds it. */
  const panelBehind = async (): Promise<{ panel: TestPanel; client: Client }> => {
    const panel = await startPanel()
    const client = await panel.setUp()
    await createTunnel(client, { addresses: [OTHER, { address: '10.9.7.1', prefix_length: 24 }] })
    panel.kernel.hostRoutes.push({ ...fakeRoute('127.0.0.0/8', 'gre-a-1'), gateway: '10.9.0.2' })
    panel.kernel.changes.length = 0
    return { panel, client }
  }
  const WAYS: Record<string, [Asking, how: string]> = {
    'POST down': [CUTTING['POST down']!, 'through_tunnel'],
    'POST restart': [CUTTING['POST restart']!, 'through_tunnel'],
    'PATCH of the outer header': [CUTTING['PATCH of the outer header']!, 'through_tunnel'],
    'PATCH that recreates the link, and its route goes': [CUTTING['PATCH that recreates the link']!, 'route_goes'],
    'DELETE of the tunnel': [(client, more) => client.delete('/tunnels/1', more), 'through_tunnel'],
    'DELETE of the address whose network has the gateway': [
      (client, more) => client.delete('/tunnels/1/addresses', { address: OTHER.address, prefix_length: 30, ...more }),
      'route_goes',
    ],
  }
  for (const [what, [request, how]] of Object.entries(WAYS))
    it(`is refused by ${what} until the operator accepts losing access`, async () => {
      const { panel, client } = await panelBehind()
      const { status, error } = await request(client, {})
      assert.deepEqual(
        [status, error.code, error.details['how'], error.details['network']],
        [409, 'WOULD_CUT_OWN_ACCESS', how, '127.0.0.0/8'],
      )
      assert.deepEqual(panel.kernel.changes, [])
      assert.equal((await request(client, { i_understand_i_may_lose_access: true })).status, 200)
      await panel.close()
    })

  it('goes through the new link again where that takes the route along', async () => {
    const { panel, client } = await panelBehind()
    panel.kernel.routesOfOthers.add('gre-a-1', routeThrough('127.0.0.0/8'))
    const { error } = await CUTTING['PATCH that recreates the link']!(client, {})
    assert.deepEqual([error.code, error.details['how']], ['WOULD_CUT_OWN_ACCESS', 'through_tunnel'])
    await panel.close()
  })

  it('is carried out where the change leaves that route alone', async () => {
    const { panel, client } = await panelBehind()
    assert.equal((await client.patch('/tunnels/1', { mtu: 1400 })).status, 200)
    assert.equal((await client.delete('/tunnels/1/addresses', { address: '10.9.7.1', prefix_length: 24 })).status, 200)
    await panel.close()
  })
})

describe('A request from an address that a new address of the tunnel holds', () => {
  /** The kernel's tunnel has lost the address that holds the client, and a reapply adds it. */
  const panelLost = async (): Promise<{ panel: TestPanel; client: Client }> => {
    const { panel, client } = await panelInside()
    const state = panel.kernel.held.get('gre-a-1')?.state
    assert(state)
    state.config = { ...state.config, addresses: [OTHER] }
    return { panel, client }
  }

  it('is refused where its answers would go into the tunnel, until the operator accepts losing access', async () => {
    const { panel, client } = await panelLost()
    const { status, error } = await client.post('/tunnels/1/reapply')
    assert.deepEqual(
      [status, error.code, error.details['how'], error.details['network']],
      [409, 'WOULD_CUT_OWN_ACCESS', 'route_captured', '127.0.0.0/24'],
    )
    assert.equal((await client.post('/tunnels/1/reapply', { i_understand_i_may_lose_access: true })).status, 200)
    await panel.close()
  })

  it('is carried out where a longer route leads to the client elsewhere', async () => {
    const { panel, client } = await panelLost()
    panel.kernel.hostRoutes.push(fakeRoute('127.0.0.1/32', 'lo'))
    assert.equal((await client.post('/tunnels/1/reapply')).status, 200)
    await panel.close()
  })
})
