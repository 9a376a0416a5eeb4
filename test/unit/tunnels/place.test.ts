// Where a tunnel finds its place: number, name, pool and addresses (decisions.md, R4, R5, R11, R14, R32, T19).
import assert from 'node:assert/strict'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { draftEnds } from '@panel/web-daemon/features/tunnels/draft/ends.ts'
import { draftPlace } from '@panel/web-daemon/features/tunnels/draft/place.ts'
import { device, facts, neighbour, problemsOf, route, sketch, warningsOf } from './draft-context.ts'

const placeOf = (request: ReturnType<typeof sketch>) => draftPlace(request, draftEnds(request))
const summary = (request: ReturnType<typeof sketch>): string => {
  const place = placeOf(request)
  assert(place, problemsOf(request).join(', '))
  return `${place.interface_name} ${place.tunnel_number} pool ${place.address_pool_id} ${place.addresses.map((a) => `${a.address} ${a.peer_address}/${a.prefix_length}`).join(', ')}`
}

describe('A tunnel without a word about its place', () => {
  it('gets number 1, its name by the template, and the first subnet of the first enabled pool', () => {
    assert.equal(summary(sketch()), 'gre-a-1 1 pool 10 172.17.1.1 172.17.1.2/30')
  })

  it('on side B gets the second address', () => {
    assert.equal(summary(sketch({ tunnel_side_id: 20 })), 'gre-b-1 1 pool 10 172.17.1.2 172.17.1.1/30')
  })

  it('steps over numbers, subnets and names that are taken, in the store and on the host', () => {
    const neighbours = [
      neighbour(),
      neighbour({
        interface_name: 'hand-made',
        tunnel_number: null,
        addresses: [{ address: '172.17.2.9', peer_address: '', prefix_length: 24 }],
      }),
    ]
    const interfaces = [device('eth0', ['192.0.2.1/24']), device('gre-a-3', [], 1472, 'gre')]
    const routing_table = [route('0.0.0.0/0', 'eth0'), route('172.17.4.0/24', 'eth0')]
    assert.equal(
      summary(sketch({}, { existing: neighbours, facts: facts({ interfaces, routing_table }) })),
      'gre-a-5 5 pool 10 172.17.5.1 172.17.5.2/30',
    )
  })

  it('goes to the next pool where the first is covered by the host, as Docker does', () => {
    const docker = facts({
      interfaces: [device('docker0', ['172.17.0.1/16'])],
      routing_table: [route('172.17.0.0/16', 'docker0')],
    })
    assert.equal(summary(sketch({}, { facts: docker })), 'gre-a-1 1 pool 20 10.10.1.1 10.10.1.2/30')
  })

  it('goes to the next pool where the numbers of the first are used up, and counts on', () => {
    const neighbours = Array.from({ length: 256 }, (_, n) =>
      neighbour({
        interface_name: `gre-a-${n}`,
        tunnel_number: n,
        addresses: [{ address: `172.17.${n}.1`, peer_address: '', prefix_length: 30 }],
      }),
    )
    assert.equal(summary(sketch({}, { existing: neighbours })), 'gre-a-256 256 pool 20 10.10.1.1 10.10.1.2/30')
  })

  it('does not mind a default route, nor one cut in two as VPN clients do', () => {
    const vpn = facts({
      routing_table: [route('0.0.0.0/0', 'eth0'), route('0.0.0.0/1', 'tun0'), route('128.0.0.0/1', 'tun0')],
    })
    assert.equal(summary(sketch({}, { facts: vpn })), 'gre-a-1 1 pool 10 172.17.1.1 172.17.1.2/30')
  })

  it('is refused with 409 where every pool is full, and with 422 where none is enabled', () => {
    const full = facts({ routing_table: [route('172.16.0.0/12', 'eth0'), route('10.0.0.0/8', 'eth0')] })
    assert.throws(
      () => placeOf(sketch({}, { facts: full })),
      (refused) => refused instanceof Refusal && refused.code === 'ALLOCATION_FAILED',
    )
    const draft = sketch({}, { pools: [] })
    assert.equal(placeOf(draft), null)
    assert.deepEqual(problemsOf(draft), ['addresses NO_ADDRESS'])
  })
})

describe('A tunnel with a number', () => {
  it('gets the subnet and the name of that number', () => {
    assert.equal(summary(sketch({ tunnel_number: 9 })), 'gre-a-9 9 pool 10 172.17.9.1 172.17.9.2/30')
  })

  it('is refused where the number, its name or its subnet is taken, or the pool ends before it', () => {
    const problems = (body: Parameters<typeof sketch>[0], more: Parameters<typeof sketch>[1] = {}): string[] => {
      const draft = sketch(body, more)
      assert.equal(placeOf(draft), null)
      return problemsOf(draft)
    }
    assert.deepEqual(problems({ tunnel_number: 1 }, { existing: [neighbour()] }), [
      'tunnel_number INVALID_TUNNEL_NUMBER',
    ])
    assert.deepEqual(problems({ tunnel_number: 2 }, { existing: [neighbour({ interface_name: 'gre-a-2' })] }), [
      'tunnel_number TUNNEL_NAME_CONFLICT',
    ])
    assert.deepEqual(problems({ tunnel_number: 256 }), ['tunnel_number INVALID_TUNNEL_NUMBER'])
    const busy = facts({ routing_table: [route('10.10.3.0/24', 'eth0')] })
    assert.deepEqual(problems({ tunnel_number: 3, address_pool_id: 20 }, { facts: busy }), [
      'tunnel_number ADDRESS_CONFLICT',
    ])
  })
})

describe('A tunnel with a name', () => {
  it('keeps it, and takes its number from the pool all the same', () => {
    const place = placeOf(sketch({ interface_name: 'to-berlin' }))
    assert.deepEqual([place?.interface_name, place?.tunnel_number, place?.is_name_templated], ['to-berlin', 1, false])
  })

  it('is refused where the name belongs to the kernel, to another tunnel or to another kind of interface', () => {
    const problems = (interface_name: string): string[] => {
      const draft = sketch({ interface_name }, { existing: [neighbour()] })
      assert.equal(placeOf(draft), null)
      return problemsOf(draft)
    }
    assert.deepEqual(problems('gre0'), ['interface_name INTERFACE_NAME_RESERVED'])
    assert.deepEqual(problems('gre-a-1'), ['interface_name TUNNEL_NAME_CONFLICT'])
    assert.deepEqual(problems('eth0'), ['interface_name TUNNEL_NAME_CONFLICT'])
    for (const name of ['all', 'default', 'eth1', 'enp0s31f6', 'enx001122334455', 'wlan0'])
      assert.deepEqual(problems(name), ['interface_name INTERFACE_NAME_RESERVED'], name)
  })
})

describe('A tunnel from a pool of public addresses', () => {
  it('is refused, and with force made with a warning', () => {
    const draft = sketch({ address_pool_id: 30 })
    assert.equal(placeOf(draft), null)
    assert.deepEqual(problemsOf(draft), ['address_pool_id PUBLIC_RANGE_NOT_ALLOWED'])
    const forced = sketch({ address_pool_id: 30, force: true })
    assert.equal(summary(forced), 'gre-a-1 1 pool 30 109.194.1.1 109.194.1.2/30')
    assert.deepEqual(warningsOf(forced), ['addresses.0.address PUBLIC_RANGE_WARNING'])
  })

  it('that does not exist is refused', () => {
    const draft = sketch({ address_pool_id: 11 })
    assert.equal(placeOf(draft), null)
    assert.deepEqual(problemsOf(draft), ['address_pool_id UNKNOWN_ADDRESS_POOL'])
  })
})

describe('A tunnel with addresses of its own', () => {
  const withAddress = (address: string, prefix_length: number, more: object = {}) => ({
    addresses: [{ address, prefix_length, ...more }],
  })
  const problems = (body: Parameters<typeof sketch>[0], more: Parameters<typeof sketch>[1] = {}): string[] => {
    const draft = sketch(body, more)
    draftPlace(draft, draftEnds(draft))
    return problemsOf(draft)
  }

  it('keeps them, in their order, and belongs to no pool unless it says so', () => {
    const place = placeOf(
      sketch({
        addresses: [
          { address: '10.9.0.1', prefix_length: 30 },
          { address: 'FD00::1', peer_address: 'fd00::2', prefix_length: 126, is_primary: true },
        ],
      }),
    )
    assert.deepEqual(place?.addresses, [
      {
        address: '10.9.0.1',
        peer_address: '',
        prefix_length: 30,
        address_family_id: 10,
        is_primary: false,
        sort_order: 0,
      },
      {
        address: 'fd00::1',
        peer_address: 'fd00::2',
        prefix_length: 126,
        address_family_id: 20,
        is_primary: true,
        sort_order: 1,
      },
    ])
    assert.deepEqual([place?.address_pool_id, place?.tunnel_number, place?.interface_name], [null, 1, 'gre-a-1'])
  })

  it('needs no number where it has a name', () => {
    assert.equal(placeOf(sketch({ ...withAddress('10.9.0.1', 30), interface_name: 'x' }))?.tunnel_number, null)
  })

  it('is refused where an address is none, is special, or is an edge of its subnet', () => {
    const special = 'nonsense 0.0.0.0 224.0.0.1 255.255.255.255 127.0.0.1 169.254.1.1 fe80::1 ::1 ff02::1'
    for (const address of [...special.split(' '), '10.9.0.0', '10.9.0.3']) {
      assert.deepEqual(problems(withAddress(address, 30)), ['addresses.0.address INVALID_ADDRESS'], address)
    }
    assert.deepEqual(problems(withAddress('10.9.0.0', 31)), [])
    assert.deepEqual(problems(withAddress('::ffff:10.9.0.1', 128)), ['addresses.0.address INVALID_ADDRESS'])
    for (const wide of [withAddress('10.9.0.1', 15), withAddress('fd00:1::1', 47)])
      assert.deepEqual(problems(wide), ['addresses.0.prefix_length INVALID_PREFIX_LENGTH'])
    assert.deepEqual(problems(withAddress('10.9.0.1', 33)), ['addresses.0.prefix_length INVALID_PREFIX_LENGTH'])
    assert.deepEqual(problems(withAddress('10.9.0.1', 32, { peer_address: 'fd00::1' })), [
      'addresses.0.peer_address INVALID_ADDRESS',
    ])
    assert.deepEqual(problems(withAddress('10.9.0.1', 32, { peer_address: '10.9.0.1' })), [
      'addresses.0.peer_address INVALID_ADDRESS',
    ])
  })

  it("is refused where an address is another tunnel's, the host's own, or given twice", () => {
    assert.deepEqual(problems(withAddress('172.17.1.1', 32), { existing: [neighbour()] }), [
      'addresses.0.address ADDRESS_CONFLICT',
    ])
    assert.deepEqual(problems(withAddress('192.0.2.1', 32)), ['addresses.0.address ADDRESS_CONFLICT'])
    assert.deepEqual(
      problems({
        addresses: [
          { address: '10.9.0.1', prefix_length: 30 },
          { address: '10.9.0.1', prefix_length: 24 },
        ],
      }),
      ['addresses.1.address ADDRESS_CONFLICT'],
    )
  })

  it('is refused where its subnet would rob another route, unless forced, and warned where it is part of a wider one', () => {
    const table = facts({ routing_table: [route('10.9.0.0/30', 'eth0'), route('10.8.0.0/16', 'eth0')] })
    assert.deepEqual(problems(withAddress('10.9.0.1', 24), { facts: table }), ['addresses.0.address ROUTE_OVERLAP'])
    const forced = sketch({ ...withAddress('10.9.0.1', 24), force: true }, { facts: table })
    assert(placeOf(forced))
    assert.deepEqual(warningsOf(forced), ['addresses.0.address ROUTE_OVERLAP_WARNING'])
    const within = sketch(withAddress('10.8.7.1', 30), { facts: table })
    assert(placeOf(within))
    assert.deepEqual(warningsOf(within), ['addresses.0.address ROUTE_OVERLAP_WARNING'])
  })

  it('is refused, even with force, where its subnet holds a next hop or an address of another interface', () => {
    const hop = facts({ routing_table: [route('0.0.0.0/0', 'eth0', { gateway: '10.9.0.9' })] })
    for (const body of [withAddress('10.9.0.1', 24), withAddress('10.7.0.1', 32, { peer_address: '10.9.0.9' })])
      assert.deepEqual(problems({ ...body, force: true }, { facts: hop }), ['addresses.0.address ADDRESS_CONFLICT'])
    assert.deepEqual(problems({ ...withAddress('192.0.2.77', 28), force: true }), [])
    assert.deepEqual(problems({ ...withAddress('192.0.2.77', 25), force: true }), [
      'addresses.0.address ADDRESS_CONFLICT',
    ])
  })

  it('is refused where the remote endpoint would be reached through the tunnel itself', () => {
    assert.deepEqual(problems(withAddress('198.51.100.1', 24)), ['addresses.0.address INVALID_ADDRESS'])
  })
})
