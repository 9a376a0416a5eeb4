// How pools are cut and which subnet is the next free one (decisions.md, R31, R32, R34).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { formatCidr, overlaps, parseCidr, type Cidr } from '@panel/shared/address/ip.ts'
import { poolCapacity, subnetEnds, lowestFree, subnetAt } from '@panel/web-daemon/features/pools/allocation.ts'

const cidr = (text: string): Cidr => {
  const parsed = parseCidr(text)
  assert(parsed, text)
  return parsed
}
const pool = (text: string, prefix_length = 30) => ({ cidr: text, prefix_length })
const at = (range: { cidr: string; prefix_length: number }, index: number): string => {
  const subnet = subnetAt(range, index)
  return subnet ? formatCidr(subnet) : 'none'
}
const any = (): boolean => true

describe('An address pool', () => {
  it('of a /16 gives each tunnel a third octet: 256 subnets, the highest number 255', () => {
    assert.deepEqual(poolCapacity(pool('172.17.0.0/16')), {
      scheme: 'third_octet',
      prefix_length: 30,
      capacity: 256,
      max_tunnel_number: 255,
    })
    assert.equal(at(pool('172.17.0.0/16'), 7), '172.17.7.0/30')
    assert.equal(at(pool('172.17.0.0/16'), 256), 'none')
  })

  it('of a /24 is cut densely: 64 subnets of /30, 128 of /31', () => {
    assert.deepEqual(poolCapacity(pool('192.168.9.0/24')), {
      scheme: 'dense',
      prefix_length: 30,
      capacity: 64,
      max_tunnel_number: 63,
    })
    assert.equal(at(pool('192.168.9.0/24'), 63), '192.168.9.252/30')
    assert.equal(poolCapacity(pool('192.168.9.0/24', 31)).capacity, 128)
  })

  it('of IPv6 addresses counts no further than 2^24', () => {
    assert.deepEqual(poolCapacity(pool('fd00::/48', 127)), {
      scheme: 'dense',
      prefix_length: 127,
      capacity: 2 ** 24,
      max_tunnel_number: 2 ** 24 - 1,
    })
    assert.equal(at(pool('fd00::/48', 127), 3), 'fd00::6/127')
  })

  it('gives A the first host and B the second, and of a /31 or /127 both addresses', () => {
    assert.deepEqual(subnetEnds(cidr('172.17.1.0/30')), { address_a: '172.17.1.1', address_b: '172.17.1.2' })
    assert.deepEqual(subnetEnds(cidr('172.17.1.0/31')), { address_a: '172.17.1.0', address_b: '172.17.1.1' })
    assert.deepEqual(subnetEnds(cidr('fd00::6/127')), { address_a: 'fd00::6', address_b: 'fd00::7' })
  })

  it('begins with number 1 and comes to 0 last', () => {
    const small = pool('10.0.0.0/29')
    assert.equal(lowestFree(small, [], any), 1)
    assert.equal(lowestFree(small, [cidr('10.0.0.4/30')], any), 0)
    assert.equal(lowestFree(small, [cidr('10.0.0.4/30'), cidr('10.0.0.0/30')], any), null)
  })

  it('steps over whatever touches a subnet, and over numbers that do not suit', () => {
    const taken = [cidr('172.17.1.2/32'), cidr('172.17.2.0/23'), cidr('172.17.5.128/25')]
    assert.equal(lowestFree(pool('172.17.0.0/16'), taken, any), 4)
    assert.equal(
      lowestFree(pool('172.17.0.0/16'), taken, (n) => n > 4),
      5,
      '172.17.5.0/30 is free although the rest of its third octet is not',
    )
  })

  it('that a route covers has nothing to give, and says so at once, however large it is', () => {
    assert.equal(lowestFree(pool('10.0.0.0/8', 31), [cidr('10.0.0.0/8')], any), null)
    assert.equal(lowestFree({ cidr: 'fd00::/32', prefix_length: 127 }, [cidr('fd00::/16')], any), null)
  })

  it('always gives the lowest subnet that touches nothing taken', () => {
    const network = fc
      .tuple(fc.integer({ min: 0, max: 4095 }), fc.integer({ min: 18, max: 32 }))
      .map(([value, length]) => cidr(`10.1.${value >> 8}.${value & 255}/${length}`))
    const range = fc.constantFrom(
      pool('10.1.0.0/20'),
      pool('10.1.0.0/24', 30),
      pool('10.1.2.0/23', 31),
      pool('10.1.0.0/20', 26),
    )
    fc.assert(
      fc.property(
        range,
        fc.array(network, { maxLength: 12 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 300 })),
        (of, taken, numbers) => {
          const suits = (n: number): boolean => !numbers.includes(n)
          const order = [...Array.from({ length: poolCapacity(of).capacity - 1 }, (_, n) => n + 1), 0]
          const expected = order.find((n) => {
            const subnet = subnetAt(of, n)
            return subnet !== null && suits(n) && !taken.some((other) => overlaps(other, subnet))
          })
          assert.equal(lowestFree(of, taken, suits), expected ?? null)
        },
      ),
      { numRuns: 300 },
    )
  })
})
