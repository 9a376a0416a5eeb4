// Making an address pool through HTTP (reference.md, Pools; decisions.md, R31 to R35).
import assert from 'node:assert/strict'
import type { ChangePoolAnswer, ListPoolsAnswer, PoolView } from '@panel/shared/api/pools.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const LAB = { address_pool_title: 'Lab', cidr: '10.20.0.0/16', prefix_length: 30 } as const

describe('A new pool', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const add = (body: object = {}): Promise<Reply<ChangePoolAnswer>> => client.post('/pools', { ...LAB, ...body })
  const get = (id: number): Promise<Reply<PoolView>> => client.get(`/pools/${id}`)
  const added = async (body: object = {}): Promise<ChangePoolAnswer> => {
    const { status, body: pool, text } = await add(body)
    assert.equal(status, 201, text)
    return pool
  }
  const refusedFields = ({ error }: Reply<unknown>): string[] =>
    (error.details['fields'] as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`)

  describe('POST /pools', () => {
    it('adds a pool: 201 with its id, the measured is_public_range and its capacity, and GET gives the same', async () => {
      const pool = await added({ description: 'For the lab' })
      const { warnings, ...view } = pool
      assert.deepEqual(view, {
        ...LAB,
        address_pool_id: 41,
        description: 'For the lab',
        is_enabled: true,
        is_public_range: false,
        in_use: false,
        tunnel_count: 0,
        capacity: { scheme: 'third_octet', prefix_length: 30, capacity: 256, max_tunnel_number: 255 },
      })
      assert.deepEqual([warnings, (await get(41)).body], [[], view])
    })

    it('holds 256 subnets in a /16 of /30s and 64 in a /24 of /30s, which is too small for the third-octet scheme', async () => {
      assert.deepEqual((await added({ cidr: '192.168.7.0/24' })).capacity, {
        scheme: 'dense',
        prefix_length: 30,
        capacity: 64,
        max_tunnel_number: 63,
      })
      assert.deepEqual((await added({ cidr: '192.168.8.0/23' })).capacity, {
        scheme: 'third_octet',
        prefix_length: 30,
        capacity: 2,
        max_tunnel_number: 1,
      })
      assert.deepEqual((await added({ cidr: '192.168.9.0/31', prefix_length: 31 })).capacity, {
        scheme: 'dense',
        prefix_length: 31,
        capacity: 1,
        max_tunnel_number: 0,
      })
      assert.deepEqual((await added({ cidr: 'fd00:1::/112', prefix_length: 126 })).capacity, {
        scheme: 'dense',
        prefix_length: 126,
        capacity: 16384,
        max_tunnel_number: 16383,
      })
      assert.equal((await added({ cidr: 'fd00:2::/16', prefix_length: 127 })).capacity.capacity, 2 ** 24)
    })

    it('stores the range with the bits behind its length cut off, in one spelling', async () => {
      assert.equal((await added({ cidr: '10.30.77.9/16' })).cidr, '10.30.0.0/16')
      assert.equal((await added({ cidr: 'FD00:0:0:1::5/64', prefix_length: 126 })).cidr, 'fd00:0:0:1::/64')
    })

    it('measures is_public_range and never takes it from the request', async () => {
      const ranges: Record<string, boolean> = {
        '8.8.0.0/16': true,
        '203.0.113.0/24': true,
        '198.51.100.0/24': true,
        '2001:db8::/32': true,
        '2606:4700::/32': true,
        '172.0.0.0/8': true,
        '10.0.0.0/7': true,
        '0.0.0.0/0': true,
        '::/0': true,
        '10.1.0.0/16': false,
        '172.16.0.0/12': false,
        '192.168.0.0/16': false,
        '100.64.0.0/10': false,
        'fc00::/7': false,
      }
      for (const [cidr, isPublic] of Object.entries(ranges)) {
        const pool = await added({ cidr, prefix_length: cidr.includes(':') ? 126 : 30, is_public_range: !isPublic })
        assert.deepEqual(
          [pool.is_public_range, pool.warnings.some(({ code }) => code === 'PUBLIC_RANGE_WARNING')],
          [isPublic, isPublic],
          cidr,
        )
      }
    })

    it('needs a title and a range, and gets all problems at once with their codes', async () => {
      const empty = await client.post('/pools', {})
      assert.deepEqual(
        [empty.status, empty.error.code, empty.error.field],
        [422, 'VALIDATION_FAILED', 'address_pool_title'],
      )
      assert.deepEqual(refusedFields(empty), ['address_pool_title INVALID_POOL_TITLE', 'cidr INVALID_CIDR'])
      const wrong = await add({
        address_pool_title: ' ',
        cidr: '10.0.0/8',
        prefix_length: 200,
        is_enabled: 'yes',
        colour: 'red',
      })
      assert.deepEqual(
        refusedFields(wrong).map((text) => text.split(' ')[0]),
        ['address_pool_title', 'cidr', 'prefix_length', 'is_enabled', 'colour'],
      )
      for (const { field, message } of wrong.error.details['fields'] as { field: string; message: string }[])
        assert.equal(wrong.error.details[field], message)
    })

    it('refuses what is no range, and a subnet that is wider than the pool or that two ends do not fit into', async () => {
      for (const cidr of [
        '',
        'x',
        '10.0.0.0',
        '10.0.0.0/33',
        '10.0.0.256/8',
        '10.0.0.0/08',
        'fd00::/129',
        'fe80::1%eth0/64',
        '10.0.0.0/8/8',
        ' 10.0.0.0/8',
        '10.0.0.1/32',
        'fd00::1/128',
        7,
        null,
      ]) {
        assert.deepEqual(refusedFields(await add({ cidr })), ['cidr INVALID_CIDR'], String(cidr))
      }
      const lengths: [string, unknown][] = [
        ['10.0.0.0/8', 23],
        ['10.0.0.0/8', 32],
        ['10.0.0.0/30', 29],
        ['10.0.0.0/31', 30],
        ['fd00::/64', 63],
        ['fd00::/64', 128],
        ['10.0.0.0/8', '30'],
        ['10.0.0.0/8', 30.5],
        ['10.0.0.0/8', null],
      ]
      for (const [cidr, prefix_length] of lengths)
        assert.deepEqual(
          refusedFields(await add({ cidr, prefix_length })),
          ['prefix_length INVALID_PREFIX_LENGTH'],
          `${cidr} ${String(prefix_length)}`,
        )
      assert.equal((await client.get<ListPoolsAnswer>('/pools')).body.total, 4)
    })

    it('takes a pool that overlaps another, with a warning', async () => {
      const { warnings } = await added({ cidr: '172.17.128.0/17' })
      assert.deepEqual(
        warnings.map(({ code, field }) => [code, field]),
        [['POOL_OVERLAPS_POOL', 'cidr']],
      )
      assert.match(warnings[0]?.message ?? '', /172\.17\.0\.0\/16/)
    })

    it('sent twice with one idempotency key adds one pool', async () => {
      assert.deepEqual(
        [
          (await added({ idempotency_key: 'once' })).address_pool_id,
          (await added({ idempotency_key: 'once' })).address_pool_id,
        ],
        [41, 41],
      )
    })
  })
})
