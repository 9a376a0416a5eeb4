// Number, name, pool and addresses of a tunnel: given, or found free together (decisions.md, R5, R11, R31, R32, T19).
import { bitsOf, formatCidr, networkOf, overlaps, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import { TUNNEL_SIDES } from '@panel/shared/api/lookups.ts'
import type { LinkKind, TunnelAddress } from '@panel/shared/model/tunnel.ts'
import { Refusal } from '../../http/refusal.ts'
import { capacityOf, endsOf, lowestFree, subnetAt } from '../../pools/allocation.ts'
import type { PoolRecord } from '../../pools/store.ts'
import { DEFAULTS, DEFAULT_SIDE } from '../defaults.ts'
import { particularRoutes } from '../facts.ts'
import type { NewAddress } from '../record.ts'
import { draftAddresses, inOrder, warnOfPublicRange } from './addresses.ts'
import type { Ends } from './ends.ts'
import { checkName, freeName, renderName } from './naming.ts'
import { networksOf } from './networks.ts'
import { FIELD_ORDER, type Sketch } from './sketch.ts'

export interface Place {
  readonly interface_name: string
  readonly is_name_templated: boolean
  readonly tunnel_number: number | null
  readonly address_pool_id: number | null
  readonly addresses: NewAddress[]
}

/** Null where a field that it takes has a problem. */
export function draftPlace(sketch: Sketch, ends: Ends): Place | null {
  const { body, problems, kind } = sketch
  checkGiven(sketch)
  const pools = poolsFor(sketch)
  const given = body.addresses ?? []
  const addresses = draftAddresses(sketch, given, ends)
  if (given.length === 0) checkNumber(sketch, pools, ends)
  if (!kind || FIELDS.some((field) => problems.has(field))) return null
  if (given.length > 0) return handAddressed(sketch, kind, addresses)
  return allocated(sketch, kind, pools, ends)
}

const FIELDS = ['interface_name', 'tunnel_side_id', 'tunnel_number', 'address_pool_id', 'addresses'] as const

function checkGiven(sketch: Sketch): void {
  const { body, problems, kind, neighbours } = sketch
  if (body.interface_name !== undefined) checkName(sketch, body.interface_name, 'interface_name')
  const number = body.tunnel_number ?? null
  if (number === null) return
  const owner = neighbours.find((n) => n.tunnel_number === number)
  if (owner) problems.add('tunnel_number', 'INVALID_TUNNEL_NUMBER', `${owner.interface_name} has the number ${number}.`, { tunnel_id: owner.tunnel_id })
  else if (kind && body.interface_name === undefined && !problems.has('interface_name')) checkName(sketch, renderName(kind, sideOf(sketch), number), 'tunnel_number')
}

export const sideOf = ({ body }: Sketch): number => body.tunnel_side_id ?? DEFAULT_SIDE

/** The pools to try, in order. With addresses at hand a pool is only remembered. */
function poolsFor(sketch: Sketch): PoolRecord[] {
  const { body, problems, pools } = sketch
  const asked = body.address_pool_id ?? null
  const needed = (body.addresses ?? []).length === 0 && !problems.has('addresses')
  if (asked === null) {
    const enabled = pools.filter((pool) => pool.is_enabled)
    if (enabled.length === 0 && needed && !problems.has('address_pool_id')) problems.add('addresses', 'NO_ADDRESS', 'No pool is enabled to take addresses from: give addresses, or enable a pool.')
    return enabled.filter((pool) => !needed || mayAllocate(sketch, pool))
  }
  const pool = pools.find(({ address_pool_id }) => address_pool_id === asked)
  if (!pool) problems.add('address_pool_id', 'UNKNOWN_ADDRESS_POOL', `There is no pool ${asked}.`)
  else if (needed && !mayAllocate(sketch, pool)) {
    problems.add('address_pool_id', 'PUBLIC_RANGE_NOT_ALLOWED', `${pool.address_pool_title} (${pool.cidr}) holds public addresses of others. Set force to take from it all the same.`)
  }
  return pool ? [pool] : []
}

const mayAllocate = ({ body }: Sketch, pool: PoolRecord): boolean => !pool.is_public_range || DEFAULTS['addressing.allow_public_ranges'] || body.force === true

function handAddressed(sketch: Sketch, kind: LinkKind, addresses: NewAddress[]): Place {
  const { body } = sketch
  // Only a name to be rendered needs a number.
  const number = body.tunnel_number ?? (body.interface_name === undefined ? numberOf(sketch, kind) : null)
  return placed(sketch, kind, number, body.address_pool_id ?? null, addresses)
}

/** The lowest number from 1 up that no tunnel has, nor its name anything else. */
function numberOf(sketch: Sketch, kind: LinkKind): number {
  const suits = suitable(sketch, kind)
  let number = 1
  while (!suits(number)) number += 1
  return number
}

function suitable(sketch: Sketch, kind: LinkKind): (number: number) => boolean {
  const numbers = new Set(sketch.neighbours.map((n) => n.tunnel_number))
  const isFree = freeName(sketch)
  const isNamed = sketch.body.interface_name !== undefined
  return (number) => !numbers.has(number) && (isNamed || isFree(renderName(kind, sideOf(sketch), number)))
}

/** A name counts as rendered where it is what the template says, whoever said it: so a preview's answer can be posted as it is. */
function placed(sketch: Sketch, kind: LinkKind, number: number | null, address_pool_id: number | null, addresses: NewAddress[]): Place {
  const rendered = number === null ? null : renderName(kind, sideOf(sketch), number)
  const interface_name = sketch.body.interface_name ?? rendered ?? ''
  return { interface_name, is_name_templated: interface_name === rendered, tunnel_number: number, address_pool_id, addresses }
}

/** A number that was asked for is no good where its subnet is not free in any pool. */
function checkNumber(sketch: Sketch, pools: readonly PoolRecord[], ends: Ends): void {
  const { body, problems } = sketch
  const number = body.tunnel_number ?? null
  const [pool] = pools
  if (number === null || !pool || ['tunnel_number', 'address_pool_id', 'addresses'].some((field) => problems.has(field))) return
  const taken = takenNetworks(sketch, ends)
  if (pools.some((one) => freeAt(one, number, taken) !== null)) return
  const subnet = subnetAt(pool, number)
  if (!subnet) problems.add('tunnel_number', 'INVALID_TUNNEL_NUMBER', `${pool.address_pool_title} ends at number ${capacityOf(pool).max_tunnel_number}.`)
  else problems.add('tunnel_number', 'ADDRESS_CONFLICT', `The subnet of number ${number}, ${formatCidr(subnet)}, overlaps ${taken.filter((network) => overlaps(network, subnet)).map(formatCidr).join(', ')}, which is in use.`)
}

function allocated(sketch: Sketch, kind: LinkKind, pools: readonly PoolRecord[], ends: Ends): Place {
  const taken = takenNetworks(sketch, ends)
  const given = sketch.body.tunnel_number ?? null
  const suits = suitable(sketch, kind)
  for (const pool of pools) {
    const index = given === null ? lowestFree(pool, taken, suits) : freeAt(pool, given, taken)
    if (index !== null) return fromPool(sketch, kind, pool, index, index)
  }
  // The numbers of one pool are used up before the subnets of the next are: then the number is not the index.
  for (const pool of pools) {
    const index = lowestFree(pool, taken, () => true)
    if (index !== null) return fromPool(sketch, kind, pool, index, numberOf(sketch, kind))
  }
  sketch.problems.throwIfAny(FIELD_ORDER)
  const titles = pools.map((pool) => `${pool.address_pool_title} (${pool.cidr})`)
  throw new Refusal('ALLOCATION_FAILED', `No free subnet is left in ${titles.join(', ')}.`, { field: 'address_pool_id', details: { pools: titles } })
}

function freeAt(pool: PoolRecord, number: number, taken: readonly Cidr[]): number | null {
  const subnet = subnetAt(pool, number)
  return subnet && !taken.some((network) => overlaps(network, subnet)) ? number : null
}

function fromPool(sketch: Sketch, kind: LinkKind, pool: PoolRecord, index: number, number: number): Place {
  const subnet = subnetAt(pool, index)
  if (!subnet) throw new RangeError(`${pool.cidr} has no subnet ${index}`)
  const { address_a, address_b } = endsOf(subnet)
  const [address, peer_address] = sideOf(sketch) === TUNNEL_SIDES.A ? [address_a, address_b] : [address_b, address_a]
  const own: TunnelAddress = { address, peer_address, prefix_length: subnet.prefix_length }
  if (pool.is_public_range) warnOfPublicRange(sketch, subnet, 'addresses.0.address')
  return placed(sketch, kind, number, pool.address_pool_id, inOrder([own]))
}

/** What an allocation steps over: addresses and routes of the host, those of other tunnels, and the endpoints themselves. */
function takenNetworks({ facts, neighbours }: Sketch, { local, remote }: Ends): Cidr[] {
  const single = (text: string): Cidr[] => {
    const ip = parseIp(text)
    return ip ? [networkOf(ip, bitsOf(ip.family))] : []
  }
  return [
    ...facts.held.map(({ network }) => network),
    ...particularRoutes(facts).map(({ network }) => network),
    ...neighbours.flatMap((n) => [...networksOf(n.addresses), ...single(n.remote_endpoint)]),
    ...[local, remote].filter((ip) => ip !== null).map((ip) => networkOf(ip, bitsOf(ip.family))),
  ]
}
