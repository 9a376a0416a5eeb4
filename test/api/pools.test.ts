// Address pools through HTTP: listed, changed, deleted, and what they give to tunnels (reference.md, Pools;
// decisions.md, R31 to R35, T19).
import assert from 'node:assert/strict'
import type {
  ChangePoolAnswer,
  DeletePoolAnswer,
  ListPoolsAnswer,
  NextFreeAnswer,
  PoolView,
} from '@panel/shared/api/pools.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel, deleteTunnel, getTunnel } from './support/tunnels.ts'

const LAB = { address_pool_title: 'Lab', cidr: '10.20.0.0/16', prefix_length: 30 } as const

describe('Pools', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const add = (body: object = {}): Promise<Reply<ChangePoolAnswer>> => client.post('/pools', { ...LAB, ...body })
  const replace = (id: number, body: object = {}): Promise<Reply<ChangePoolAnswer>> =>
    client.put(`/pools/${id}`, { ...LAB, ...body })
  const get = (id: number): Promise<Reply<PoolView>> => client.get(`/pools/${id}`)
  const remove = (id: number): Promise<Reply<DeletePoolAnswer>> => client.delete(`/pools/${id}`)
  const nextFree = (id: number, query = ''): Promise<Reply<NextFreeAnswer>> =>
    client.get(`/pools/${id}/next-free${query}`)
  const added = async (body: object = {}): Promise<ChangePoolAnswer> => {
    const { status, body: pool, text } = await add(body)
    assert.equal(status, 201, text)
    return pool
  }
  const refusedFields = ({ error }: Reply<unknown>): string[] =>
    (error.details['fields'] as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`)

  describe('GET /pools', () => {
    it('lists the four seeded pools with their capacity; the two legacy ones are disabled and public', async () => {
      const { status, body } = await client.get<ListPoolsAnswer>('/pools')
      assert.deepEqual([status, body.total], [200, 4])
      const seen = body.pools.map((pool) => [
        pool.address_pool_id,
        pool.cidr,
        pool.prefix_length,
        pool.is_enabled,
        pool.is_public_range,
        pool.in_use,
      ])
      assert.deepEqual(seen, [
        [10, '172.17.0.0/16', 30, true, false, false],
        [20, '10.10.0.0/16', 30, true, false, false],
        [30, '109.194.0.0/16', 30, false, true, false],
        [40, '87.107.0.0/16', 30, false, true, false],
      ])
      for (const { capacity } of body.pools)
        assert.deepEqual(capacity, { scheme: 'third_octet', prefix_length: 30, capacity: 256, max_tunnel_number: 255 })
    })

    it('says whether tunnels use a pool', async () => {
      await createTunnel(client)
      await createTunnel(client)
      assert.deepEqual(
        [(await get(10)).body.in_use, (await get(10)).body.tunnel_count, (await get(20)).body.in_use],
        [true, 2, false],
      )
      await deleteTunnel(client, 1)
      await deleteTunnel(client, 2)
      assert.equal((await get(10)).body.in_use, false)
    })

    it('by an id that is not there is 404', async () => {
      for (const path of ['/pools/11', '/pools/11/next-free'])
        assert.deepEqual([(await client.get(path)).status, (await client.get(path)).error.code], [404, 'NOT_FOUND'])
      assert.equal((await client.get('/pools/x')).status, 404)
    })
  })

  describe('PUT /pools/{id}', () => {
    it('replaces a pool that is not in use, and leaves out of account only what may be left out', async () => {
      await added({ description: 'Old', is_enabled: false })
      const { status, body } = await replace(41, { address_pool_title: 'New', cidr: '10.40.0.0/24', prefix_length: 31 })
      assert.deepEqual(
        [status, body.address_pool_title, body.cidr, body.prefix_length, body.description, body.is_enabled],
        [200, 'New', '10.40.0.0/24', 31, 'Old', false],
      )
      const again = await replace(41, { description: '', is_enabled: true })
      assert.deepEqual(
        [again.body.description, again.body.is_enabled, (await get(41)).body.cidr],
        ['', true, '10.20.0.0/16'],
      )
      const untitled = await client.put('/pools/41', { cidr: '10.1.0.0/16', prefix_length: 30 })
      assert.deepEqual([untitled.status, untitled.error.field], [422, 'address_pool_title'])
      assert.equal((await replace(99)).status, 404)
    })

    it('of a pool in use changes title, description and is_enabled; another range or length is 409 CONFLICT', async () => {
      await added()
      const { body } = await createTunnel(client, { address_pool_id: 41 })
      const free = await replace(41, {
        address_pool_title: 'Renamed',
        description: 'x',
        is_enabled: false,
        cidr: '10.20.3.4/16',
      })
      assert.deepEqual([free.status, free.body.address_pool_title, free.body.in_use], [200, 'Renamed', true])
      for (const [field, value] of [
        ['cidr', '10.21.0.0/16'],
        ['prefix_length', 31],
      ] as const) {
        const { status, error } = await replace(41, { [field]: value })
        assert.deepEqual(
          [status, error.code, error.field, error.details['tunnels']],
          [409, 'CONFLICT', field, [{ tunnel_id: 1, interface_name: 'gre-a-1' }]],
        )
      }
      assert.deepEqual(
        [(await get(41)).body.cidr, (await getTunnel(client, 1)).body.addresses],
        [LAB.cidr, body.tunnel.addresses],
      )
    })

    it('enables a legacy pool, and every use of it warns', async () => {
      const { cidr } = (await get(30)).body
      const { status, body } = await replace(30, { cidr, is_enabled: true })
      assert.deepEqual(
        [status, body.is_enabled, body.warnings.map(({ code }) => code)],
        [200, true, ['PUBLIC_RANGE_WARNING']],
      )
      assert.deepEqual(
        (await nextFree(30)).body.warnings.map(({ code }) => code),
        ['PUBLIC_RANGE_WARNING'],
      )
      assert.equal((await createTunnel(client, { address_pool_id: 30 })).status, 422)
      assert.deepEqual(
        (await createTunnel(client, { address_pool_id: 30, force: true })).body.warnings.map(({ code }) => code),
        ['PUBLIC_RANGE_WARNING'],
      )
    })

    it('takes a pool back as GET gave it, but for what is measured', async () => {
      const {
        capacity: _measured,
        in_use: _counted,
        tunnel_count: _also,
        address_pool_id: _path,
        ...pool
      } = (await get(10)).body
      assert.deepEqual((await client.put<ChangePoolAnswer>('/pools/10', pool)).body.cidr, '172.17.0.0/16')
    })
  })

  describe('DELETE /pools/{id}', () => {
    it('removes a pool; a second time it is 404', async () => {
      await added()
      const { status, body } = await remove(41)
      assert.deepEqual([status, body], [200, { deleted: true, address_pool_id: 41 }])
      assert.deepEqual([(await remove(41)).status, (await get(41)).status], [404, 404])
      assert.equal((await added()).address_pool_id, 42)
    })

    it('is 409 while a tunnel uses it, naming the tunnel, and works once that is gone', async () => {
      await createTunnel(client)
      const { status, error } = await remove(10)
      assert.deepEqual([status, error.code], [409, 'CONFLICT'])
      assert.match(error.message, /gre-a-1/)
      await deleteTunnel(client, 1)
      assert.equal((await remove(10)).status, 200)
      assert.equal((await deleteTunnel(client, 1)).body.already_deleted, true)
    })
  })

  describe('GET /pools/{id}/next-free', () => {
    it('gives subnet, number and both addresses, and allocates nothing', async () => {
      const expected = {
        subnet: '172.17.1.0/30',
        tunnel_number: 1,
        address_a: '172.17.1.1',
        address_b: '172.17.1.2',
        address_pool_id: 10,
        address_pool_title: 'Private 172.17',
        prefix_length: 30,
        scheme: 'third_octet',
        is_public_range: false,
      }
      for (const _again of [1, 2])
        assert.deepEqual(
          [(await nextFree(10)).status, (await nextFree(10)).body],
          [200, { allocation: expected, warnings: [] }],
        )
      assert.deepEqual([panel.kernel.changes, (await get(10)).body.in_use], [[], false])
    })

    it('tells what the next tunnel from the pool then gets', async () => {
      panel.kernel.hostInterfaces.push({
        ...panel.kernel.hostInterfaces[1]!,
        name: 'docker0',
        addresses: ['10.20.1.1/24', '10.20.2.1/32'],
      })
      panel.kernel.hostRoutes.push({ ...panel.kernel.hostRoutes[1]!, destination: '10.20.4.0/22' })
      await added()
      await createTunnel(client, {
        interface_name: 'gre-a-3',
        addresses: [{ address: '10.99.0.1', prefix_length: 30 }],
      })
      for (const number of [8, 9]) {
        const { allocation } = (await nextFree(41)).body
        assert.deepEqual([allocation.tunnel_number, allocation.subnet], [number, `10.20.${number}.0/30`])
        const { tunnel } = (await createTunnel(client, { address_pool_id: 41 })).body
        assert.deepEqual(
          [tunnel.tunnel_number, tunnel.addresses[0]?.address, tunnel.addresses[0]?.peer_address],
          [number, allocation.address_a, allocation.address_b],
        )
      }
    })

    it('takes subnets of another length with prefix_length, and refuses one that does not fit: 422', async () => {
      const { allocation } = (await nextFree(10, '?prefix_length=31')).body
      assert.deepEqual(
        [allocation.subnet, allocation.address_a, allocation.address_b, allocation.prefix_length],
        ['172.17.1.0/31', '172.17.1.0', '172.17.1.1', 31],
      )
      for (const wrong of ['23', '32', 'x', '-1', '30.5']) {
        const { status, error } = await nextFree(10, `?prefix_length=${wrong}`)
        assert.deepEqual([status, error.field], [422, 'prefix_length'], wrong)
      }
    })

    it('of a full pool is 409 ALLOCATION_FAILED', async () => {
      await added({ cidr: '10.50.0.0/31', prefix_length: 31 })
      const { tunnel } = (await createTunnel(client, { address_pool_id: 41 })).body
      assert.deepEqual(
        [tunnel.addresses[0]?.address, tunnel.addresses[0]?.peer_address, tunnel.addresses[0]?.prefix_length],
        ['10.50.0.0', '10.50.0.1', 31],
      )
      const { status, error } = await nextFree(41)
      assert.deepEqual([status, error.code], [409, 'ALLOCATION_FAILED'])
      assert.equal((await createTunnel(client, { address_pool_id: 41 })).error.code, 'ALLOCATION_FAILED')
    })
  })

  it('of IPv6 addresses give tunnels theirs, first and second host of each subnet', async () => {
    await added({ cidr: 'fd00:1::/64', prefix_length: 126 })
    const { tunnel } = (await createTunnel(client, { address_pool_id: 41, tunnel_side_id: 20 })).body
    assert.deepEqual(
      tunnel.addresses.map(({ address, peer_address, prefix_length }) => [address, peer_address, prefix_length]),
      [['fd00:1::6', 'fd00:1::5', 126]],
    )
  })

  it('that are disabled are never chosen', async () => {
    await replace(10, { address_pool_title: 'a', cidr: '172.17.0.0/16', is_enabled: false })
    assert.equal((await createTunnel(client)).body.tunnel.address_pool_id, 20)
    await replace(20, { address_pool_title: 'b', cidr: '10.10.0.0/16', is_enabled: false })
    const { status, error } = await createTunnel(client)
    assert.deepEqual(
      [status, error.field, refusedFields({ error } as Reply)],
      [422, 'addresses', ['addresses NO_ADDRESS']],
    )
  })

  it('that overlap never give one subnet to two tunnels', async () => {
    await added({ cidr: '172.17.0.0/20' })
    await createTunnel(client, { address_pool_id: 10 })
    assert.equal((await nextFree(41)).body.allocation.subnet, '172.17.2.0/30')
  })

  it('are in the audit log when they change, refusals included', async () => {
    await added()
    await replace(41, { address_pool_title: 'New' })
    await remove(41)
    await remove(41)
    const { entries } = (
      await client.get<{ entries: { target_type: string; target_id: number | null; is_success: boolean }[] }>(
        '/audit?action=PoolChange',
      )
    ).body
    assert.deepEqual(
      entries.map(({ target_type, target_id, is_success }) => [target_type, target_id, is_success]),
      [
        ['', null, false],
        ['address_pool', 41, true],
        ['address_pool', 41, true],
        ['address_pool', 41, true],
      ],
    )
  })
})
