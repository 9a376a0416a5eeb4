// What is refused of networks behind tunnels, and that what is refused changes nothing.
import assert from 'node:assert/strict'
import { fakeRoute } from '../support/fake-routes.ts'
import type { Client, Reply } from './support/client.ts'
import {
  createNetwork,
  deleteNetwork,
  getNetwork,
  listNetworks,
  eachPanelWithTunnels,
  movePath,
  NETWORK,
  patchNetwork,
  PREFERRED,
  previewNetwork,
} from './support/networks.ts'
import type { TestPanel } from './support/panel.ts'
import { act } from './support/tunnels.ts'

const codesOf = ({ error }: Reply<unknown>): Record<string, string> =>
  Object.fromEntries(
    ((error.details['fields'] ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code]),
  )

describe('A network that cannot be', () => {
  let panel: TestPanel
  let client: Client
  eachPanelWithTunnels((made) => ({ panel, client } = made))
  beforeEach(async () => {
    await createNetwork(client, { network_title: 'Office', own_addresses: ['10.66.0.1'] })
  })

  const OTHER = { destination: '10.51.0.0/16' }
  /** Requests for another network, and the codes of their fields. */
  const REFUSED: readonly [what: string, body: object, codes: Record<string, string>][] = [
    ['has the title of another', { ...OTHER, network_title: 'OFFICE' }, { network_title: 'NETWORK_TITLE_CONFLICT' }],
    ['has no title to read', { ...OTHER, network_title: ' ' }, { network_title: 'INVALID_NETWORK_TITLE' }],
    ['has the destination of another', { destination: '10.50.9.9/16' }, { destination: 'NETWORK_EXISTS' }],
    ['leads to no network', { destination: '10.51.0.0/33' }, { destination: 'INVALID_CIDR' }],
    ['is wider than root allows', { destination: '10.0.0.0/8' }, { destination: 'NETWORK_TOO_WIDE' }],
    ['is all of the internet', { destination: '0.0.0.0/0' }, { destination: 'NETWORK_TOO_WIDE' }],
    ['is of this host alone', { destination: '127.0.0.0/16' }, { destination: 'BEYOND_LIMITS' }],
    ['holds the far end of a tunnel', { destination: '203.0.113.0/24' }, { destination: 'NETWORK_HOLDS_ENDPOINT' }],
    [
      'has a path twice',
      { ...OTHER, paths: [{ tunnel_id: 1 }, { tunnel_id: 1 }] },
      { 'paths.1.tunnel_id': 'INVALID_VALUE' },
    ],
    [
      'has a path that is no tunnel',
      { ...OTHER, paths: [{ tunnel_id: 9 }] },
      { 'paths.0.tunnel_id': 'UNKNOWN_TUNNEL' },
    ],
    ['has no path', { ...OTHER, paths: [] }, { paths: 'INVALID_VALUE' }],
    [
      'has a preference of 0',
      { ...OTHER, paths: [{ tunnel_id: 1, preference: 0 }] },
      { 'paths.0.preference': 'INVALID_VALUE' },
    ],
    [
      'has a weight of 256',
      { ...OTHER, paths: [{ tunnel_id: 1, weight: 256 }] },
      { 'paths.0.weight': 'INVALID_WEIGHT' },
    ],
    [
      'has an own address of another',
      { ...OTHER, own_addresses: ['10.66.0.1'] },
      { 'own_addresses.0': 'OWN_ADDRESS_ELSEWHERE' },
    ],
    [
      'has an own address of an interface',
      { ...OTHER, own_addresses: ['192.0.2.1'] },
      { 'own_addresses.0': 'OWN_ADDRESS_ELSEWHERE' },
    ],
    [
      'has an own address twice',
      { ...OTHER, own_addresses: ['10.66.0.9', '10.66.0.9/32'] },
      { 'own_addresses.1': 'INVALID_ADDRESS' },
    ],
    [
      'has an own address that is a network',
      { ...OTHER, own_addresses: ['10.66.0.0/24'] },
      { 'own_addresses.0': 'INVALID_ADDRESS' },
    ],
    [
      'has an own address of loopback',
      { ...OTHER, own_addresses: ['127.0.0.5'] },
      { 'own_addresses.0': 'INVALID_ADDRESS' },
    ],
    [
      'has an own address of the internet',
      { ...OTHER, own_addresses: ['8.8.8.8'] },
      { 'own_addresses.0': 'BEYOND_LIMITS' },
    ],
    [
      'has an own address of the other family',
      { ...OTHER, own_addresses: ['fd00:66::1'] },
      { 'own_addresses.0': 'ADDRESS_FAMILY_MISMATCH' },
    ],
    [
      'sends from an address of nobody here',
      { ...OTHER, source_address: '10.66.0.7' },
      { source_address: 'INVALID_ADDRESS' },
    ],
    [
      'sends from the other family',
      { ...OTHER, source_address: '2001:db8::1' },
      { source_address: 'ADDRESS_FAMILY_MISMATCH' },
    ],
    ['has a metric of 0', { ...OTHER, metric: 0 }, { metric: 'INVALID_VALUE' }],
    ['has a field that is none', { ...OTHER, is_nat: true }, { is_nat: 'UNKNOWN_FIELD' }],
    [
      'has several faults',
      { destination: '10.50.0.0/16', network_title: 'office', paths: [{ tunnel_id: 9 }], own_addresses: ['x1'] },
      {
        network_title: 'NETWORK_TITLE_CONFLICT',
        destination: 'NETWORK_EXISTS',
        'paths.0.tunnel_id': 'UNKNOWN_TUNNEL',
        'own_addresses.0': 'INVALID_ADDRESS',
      },
    ],
  ]

  for (const [what, body, codes] of REFUSED)
    it(`since it ${what} is a 422 with ${Object.values(codes).join(', ')}, in a preview too, and nothing changes`, async () => {
      const picture = panel.kernel.picture()
      const refused = await createNetwork(client, body)
      assert.deepEqual([refused.status, codesOf(refused)], [422, codes], refused.text)
      const previewed = await previewNetwork(client, { ...NETWORK, ...body })
      assert.deepEqual([previewed.status, codesOf(previewed)], [422, codes], previewed.text)
      assert.deepEqual([panel.kernel.picture(), (await listNetworks(client)).body.total], [picture, 1])
    })

  it('says with NETWORK_TOO_WIDE what root has to run', async () => {
    const { error } = await createNetwork(client, { destination: '10.0.0.0/8' })
    assert.match(error.message, /wider than a \/16.*tunnel-panel allow .*10\.0\.0\.0\/8/)
    panel.kernel.hostLimits = { ...panel.kernel.hostLimits, wide_networks: ['10.0.0.0/8'] }
    assert.equal((await createNetwork(client, { destination: '10.0.0.0/8' })).status, 201)
  })

  it('may hold a far end that is reached by a longer prefix', async () => {
    for (const address of ['203.0.113.1', '203.0.113.2'])
      panel.kernel.hostRoutes.push(fakeRoute(`${address}/32`, 'eth0'))
    const { status, text } = await createNetwork(client, { destination: '203.0.113.0/24' })
    assert.equal(status, 201, text)
  })

  it('in a preview of a change is 422 UNKNOWN_NETWORK where there is none, and without destination or paths of a new one', async () => {
    assert.deepEqual(codesOf(await previewNetwork(client, { network_id: 9 })), { network_id: 'UNKNOWN_NETWORK' })
    assert.deepEqual(codesOf(await previewNetwork(client)), { destination: 'INVALID_CIDR', paths: 'INVALID_VALUE' })
  })

  it('keeps itself out of the comparison in a change', async () => {
    const { status, text } = await patchNetwork(client, 1, {
      network_title: 'office',
      destination: '10.50.0.0/16',
      own_addresses: ['10.66.0.1', '10.66.0.2'],
    })
    assert.equal(status, 200, text)
    const refused = await patchNetwork(client, 1, { destination: '203.0.113.0/24' })
    assert.deepEqual(codesOf(refused), { destination: 'NETWORK_HOLDS_ENDPOINT' })
    assert.deepEqual(codesOf(await patchNetwork(client, 1, { paths: [{ tunnel_id: 9 }] })), {
      'paths.0.tunnel_id': 'UNKNOWN_TUNNEL',
    })
  })

  it('over tunnels that are all disabled is 422 PATHS_DOWN', async () => {
    for (const id of [1, 2]) await act(client, id, 'down')
    const refused = await createNetwork(client, { ...OTHER, paths: PREFERRED })
    assert.deepEqual([refused.status, codesOf(refused)], [422, { paths: 'PATHS_DOWN' }])
    assert.match(refused.error.message, /gre-a-1.*gre-a-2/)
    assert.equal((await createNetwork(client, { ...OTHER, paths: PREFERRED, is_enabled: false })).status, 201)
    assert.deepEqual(codesOf(await patchNetwork(client, 2, { is_enabled: true })), { paths: 'PATHS_DOWN' })
    assert.equal((await movePath(client, 1, 1, 'take-out')).status, 200)
  })

  describe('by the word of root', () => {
    it('that holds a name server is 422 NETWORK_HOLDS_ENDPOINT, and leaves no record', async () => {
      panel.kernel.hostResolvers = ['10.51.0.53']
      const refused = await createNetwork(client, OTHER)
      assert.deepEqual(
        [refused.status, codesOf(refused)],
        [422, { destination: 'NETWORK_HOLDS_ENDPOINT' }],
        refused.text,
      )
      assert.equal((await listNetworks(client)).body.total, 1)
    })

    it('that holds who is connected to sshd is 409 NETWORK_CUTS_OWN_ACCESS', async () => {
      panel.kernel.hostClients = [{ address: '10.51.0.9', came_to: '192.0.2.1' }]
      const { status, error, text } = await createNetwork(client, OTHER)
      assert.deepEqual([status, error.code, error.field], [409, 'NETWORK_CUTS_OWN_ACCESS', ''], text)
    })

    it('that has a foreign route is 409, and as it was', async () => {
      panel.kernel.networks.taken = { message: 'There is one', message_id: '', params: {} }
      const { status, error } = await createNetwork(client, OTHER)
      assert.deepEqual([status, error.code], [409, 'CONFLICT'])
    })

    it('is 503 while the record of root is damaged; what is stored can be read', async () => {
      panel.kernel.networks.damage = 'The record is damaged'
      for (const reply of [
        await createNetwork(client, OTHER),
        await patchNetwork(client, 1, { metric: 9 }),
        await deleteNetwork(client, 1),
      ])
        assert.deepEqual([reply.status, reply.error.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.equal((await getNetwork(client, 1)).body.metric, 50)
    })
  })

  describe('that would cut the own connection', () => {
    const through = (destination: string, protocol: string): void => {
      panel.kernel.hostRoutes = [...panel.kernel.hostRoutes, { ...fakeRoute(destination, 'gre-a-1'), protocol }]
    }

    const CLIENT = { from: '127.0.9.1' }
    const BODY = { ...NETWORK, destination: '127.0.9.0/24' }
    beforeEach(() => {
      panel.kernel.hostLimits = { ...panel.kernel.hostLimits, wide_networks: [BODY.destination] }
    })

    it('by a destination that takes its way is 409, confirmed by the flag or a window', async () => {
      const { status, error, text } = await client.post('/networks', BODY, CLIENT)
      assert.deepEqual(
        [status, error.code, error.field, error.details['how'], error.details['network']],
        [409, 'NETWORK_CUTS_OWN_ACCESS', 'i_understand_i_may_lose_access', 'route_captured', '127.0.9.0/24'],
        text,
      )
      assert.deepEqual(error.details['safe_apply'], { confirm_within_seconds: 60 })
      const confirmed = await client.post('/networks', { ...BODY, confirm_within_seconds: 60 }, CLIENT)
      assert.equal(confirmed.status, 201, confirmed.text)
    })

    it('by the end of its route is 409: deleted, disabled, or led elsewhere', async () => {
      await client.post('/networks', BODY)
      through('127.0.9.0/24', '84')
      for (const reply of [
        await client.delete('/networks/2', {}, CLIENT),
        await client.patch('/networks/2', { is_enabled: false }, CLIENT),
        await client.patch('/networks/2', { destination: '10.51.0.0/16' }, CLIENT),
      ])
        assert.deepEqual(
          [reply.status, reply.error.code, reply.error.details['how']],
          [409, 'NETWORK_CUTS_OWN_ACCESS', 'route_goes'],
        )
      const accepted = await client.delete('/networks/2', { i_understand_i_may_lose_access: true }, CLIENT)
      assert.equal(accepted.status, 200, accepted.text)
    })

    it('by the end of the own address that it was made to is 409', async () => {
      panel.kernel.hostLimits = {
        ...panel.kernel.hostLimits,
        tunnel_networks: ['127.0.0.1', ...panel.kernel.hostLimits.tunnel_networks],
      }
      await panel.db
        .insertInto('network_address')
        .values({ network_id: 1, address: '127.0.0.1', sort_order: 1 })
        .execute()
      const state = panel.kernel.networks.held.get('10.50.0.0/16')
      if (state)
        panel.kernel.networks.held.set(state.destination, { ...state, own_addresses: ['10.66.0.1', '127.0.0.1'] })
      const { status, error } = await patchNetwork(client, 1, { own_addresses: ['10.66.0.1'] })
      assert.deepEqual([status, error.code, error.details['how']], [409, 'NETWORK_CUTS_OWN_ACCESS', 'through_tunnel'])
    })

    it('goes on where nothing of its way changes', async () => {
      through('127.0.0.0/8', 'static')
      for (const body of [{ metric: 60 }, { is_enabled: false }])
        assert.equal((await patchNetwork(client, 1, body)).status, 200)
    })
  })
})
