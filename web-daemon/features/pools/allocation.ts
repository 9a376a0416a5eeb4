// How a pool is cut into subnets, one per tunnel, and which is the lowest free one (decisions.md, R31, R32, R34). Pure.
import {
  bitsOf,
  formatIp,
  enclosingNetwork,
  parseCidr,
  networkSize,
  type Cidr,
  type Ip,
} from '@panel/shared/address/ip.ts'
import { NOT_FOR_HOSTS } from '@panel/shared/address/special.ts'
import type { PoolCapacity } from '@panel/shared/api/pools.ts'

export interface Range {
  readonly cidr: string
  readonly prefix_length: number
}

/** More than anyone needs; an IPv6 pool would have more subnets than a number can count. */
const MOST_SUBNETS = 2 ** 24
const THIRD_OCTET_LENGTH = 24

export function poolCapacity(pool: Range): PoolCapacity {
  const { base, prefix_length } = subnetCidr(pool)
  const isThirdOctet =
    base.family === 4 && prefix_length < THIRD_OCTET_LENGTH && pool.prefix_length >= THIRD_OCTET_LENGTH
  const bits = (isThirdOctet ? THIRD_OCTET_LENGTH : pool.prefix_length) - prefix_length
  const capacity = Math.min(2 ** bits, MOST_SUBNETS)
  return {
    scheme: isThirdOctet ? 'third_octet' : 'dense',
    prefix_length: pool.prefix_length,
    capacity,
    max_tunnel_number: capacity - 1,
  }
}

/** The subnet of a tunnel number; null beyond the end of the pool. */
export function subnetAt(pool: Range, index: number): Cidr | null {
  if (index < 0 || index >= poolCapacity(pool).capacity) return null
  const { base } = subnetCidr(pool)
  return enclosingNetwork(
    { family: base.family, value: base.value + BigInt(index) * subnetStride(pool) },
    pool.prefix_length,
  )
}

/** The two ends of a subnet: its first and second host, or both addresses if it has only two (RFC 3021, RFC 6164). */
export function subnetEnds(subnet: Cidr): { address_a: string; address_b: string } {
  const first = networkSize(subnet) <= 2n ? 0n : 1n
  const at = (offset: bigint): Ip => ({ family: subnet.base.family, value: subnet.base.value + offset })
  return { address_a: formatIp(at(first)), address_b: formatIp(at(first + 1n)) }
}

/**
 * The lowest index from 1 up, and 0 last, whose subnet overlaps nothing taken and whose number suits the caller.
 * Subnets that no host can use count as taken.
 */
export function lowestFree(pool: Range, taken: readonly Cidr[], suits: (index: number) => boolean): number | null {
  const { capacity } = poolCapacity(pool)
  const blocked = blockedIndexes(pool, [...NOT_FOR_HOSTS, ...taken])
  for (let index = 1, at = 0; index < capacity;) {
    const block = blocked[at]
    if (block && block.last < index) at += 1
    else if (block && block.first <= index) index = block.last + 1
    else if (suits(index)) return index
    else index += 1
  }
  return blocked[0]?.first !== 0 && suits(0) ? 0 : null
}

/** Ranges of indexes, in order: one route can cover a million subnets. */
function blockedIndexes(pool: Range, taken: readonly Cidr[]): { first: number; last: number }[] {
  const { base } = subnetCidr(pool)
  const [stride, size] = [subnetStride(pool), networkSize({ base, prefix_length: pool.prefix_length })]
  const highest = BigInt(poolCapacity(pool).max_tunnel_number)
  return taken
    .filter((network) => network.base.family === base.family)
    .map((network) => {
      const start = network.base.value - base.value
      const first = divideUp(start - size + 1n, stride)
      const last = (start + networkSize(network) - 1n) / stride
      return start + networkSize(network) - 1n < 0n
        ? null
        : { first: first < 0n ? 0n : first, last: last > highest ? highest : last }
    })
    .filter((block) => block !== null)
    .filter((block) => block.first <= block.last)
    .map(({ first, last }) => ({ first: Number(first), last: Number(last) }))
    .sort((a, b) => a.first - b.first)
}

const divideUp = (a: bigint, b: bigint): bigint => (a <= 0n ? 0n : (a + b - 1n) / b)

function subnetStride(pool: Range): bigint {
  const { base, prefix_length } = subnetCidr(pool)
  const length = poolCapacity(pool).scheme === 'third_octet' ? THIRD_OCTET_LENGTH : pool.prefix_length
  return length < prefix_length ? 1n : 1n << BigInt(bitsOf(base.family) - length)
}

function subnetCidr(pool: Range): Cidr {
  const cidr = parseCidr(pool.cidr)
  if (!cidr) throw new RangeError(`${pool.cidr} is not a CIDR range`)
  return cidr
}
