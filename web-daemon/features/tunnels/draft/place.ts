// Number, name, pool and addresses of a tunnel: given, or found free together (decisions.md, R5, R11, T19).
import { TUNNEL_SIDES } from '@panel/shared/api/lookups.ts'
import type { LinkKind, TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { endsOf } from '../../pools/allocation.ts'
import type { PoolRecord } from '../../pools/store.ts'
import type { NewAddress } from '../record.ts'
import { draftAddresses, inOrder, warnOfPublicRange } from './addresses.ts'
import { allocate, checkNumber, type Allocation } from './allocate.ts'
import type { Ends } from './ends.ts'
import { checkName, lowestNumber, nameOf, sideOf } from './naming.ts'
import type { Sketch } from './sketch.ts'

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
  if (sketch.stored) {
    checkNoneLeft(sketch, given.length)
    return kind && handAddressed(sketch, kind, addresses)
  }
  if (given.length === 0 && !sketch.isBare) checkNumber(sketch, pools, ends)
  if (!kind || FIELDS.some((field) => problems.has(field))) return null
  if (given.length > 0 || sketch.isBare) return handAddressed(sketch, kind, addresses)
  return fromPool(sketch, kind, allocate(sketch, kind, pools, ends))
}

const FIELDS = ['interface_name', 'tunnel_side_id', 'tunnel_number', 'address_pool_id', 'addresses'] as const

/** Of a tunnel that exists, no addresses means none: a pool is not asked again. */
function checkNoneLeft({ body, problems }: Sketch, left: number): void {
  if (left === 0 && body.force !== true)
    problems.add(
      'addresses',
      'NO_ADDRESS',
      'Without an address nothing can be reached through the tunnel. Set force to go on all the same.',
    )
}

function checkGiven(sketch: Sketch): void {
  const { body, problems, kind, neighbours } = sketch
  if (body.interface_name !== undefined) checkName(sketch, body.interface_name, 'interface_name')
  const number = body.tunnel_number ?? null
  if (number === null) return
  const owner = neighbours.find((n) => n.tunnel_number === number)
  if (owner)
    problems.add('tunnel_number', 'INVALID_TUNNEL_NUMBER', `${owner.interface_name} has the number ${number}.`, {
      tunnel_id: owner.tunnel_id,
    })
  else if (kind && body.interface_name === undefined && !problems.has('interface_name'))
    checkName(sketch, nameOf(sketch, kind, number), 'tunnel_number')
}

/** The pools to try, in order. With addresses at hand a pool is only remembered. */
function poolsFor(sketch: Sketch): PoolRecord[] {
  const { body, problems, pools } = sketch
  const asked = body.address_pool_id ?? null
  const needed = !sketch.stored && !sketch.isBare && (body.addresses ?? []).length === 0 && !problems.has('addresses')
  if (asked === null) {
    const usable = inOrderOfChoice(
      sketch,
      pools.filter((pool) => pool.is_enabled && mayAllocate(sketch, pool)),
    )
    if (usable.length === 0 && needed && !problems.has('address_pool_id'))
      problems.add(
        'addresses',
        'NO_ADDRESS',
        'No pool of private addresses is enabled to take some from: give addresses, or enable a pool.',
      )
    return usable
  }
  const pool = pools.find(({ address_pool_id }) => address_pool_id === asked)
  if (!pool) problems.add('address_pool_id', 'UNKNOWN_ADDRESS_POOL', `There is no pool ${asked}.`)
  else if (needed && !mayAllocate(sketch, pool)) {
    problems.add(
      'address_pool_id',
      'PUBLIC_RANGE_NOT_ALLOWED',
      `${pool.address_pool_title} (${pool.cidr}) holds public addresses of others. Set force to take from it all the same.`,
    )
  }
  return pool ? [pool] : []
}

const mayAllocate = ({ body, settings }: Sketch, pool: PoolRecord): boolean =>
  !pool.is_public_range || settings.get('addressing.allow_public_ranges') || body.force === true

/** The pool that the operator has chosen for all tunnels comes first; where it is full, the others follow. */
function inOrderOfChoice({ settings }: Sketch, pools: readonly PoolRecord[]): PoolRecord[] {
  const isChosen = ({ address_pool_id }: PoolRecord): boolean =>
    address_pool_id === settings.get('addressing.default_pool_id')
  return [...pools.filter(isChosen), ...pools.filter((pool) => !isChosen(pool))]
}

function handAddressed(sketch: Sketch, kind: LinkKind, addresses: NewAddress[]): Place {
  const { body } = sketch
  // Only a name to be rendered needs a number.
  const number = body.tunnel_number ?? (body.interface_name === undefined ? lowestNumber(sketch, kind) : null)
  return placed(sketch, kind, number, body.address_pool_id ?? null, addresses)
}

function fromPool(sketch: Sketch, kind: LinkKind, { pool, number, subnet }: Allocation): Place {
  const { address_a, address_b } = endsOf(subnet)
  const [address, peer_address] = sideOf(sketch) === TUNNEL_SIDES.A ? [address_a, address_b] : [address_b, address_a]
  const own: TunnelAddress = { address, peer_address, prefix_length: subnet.prefix_length }
  if (pool.is_public_range) warnOfPublicRange(sketch, subnet, 'addresses.0.address')
  return placed(sketch, kind, number, pool.address_pool_id, inOrder([own]))
}

/** A name counts as rendered where it is what the template says, whoever said it: so a preview's answer can be posted as it is. */
function placed(
  sketch: Sketch,
  kind: LinkKind,
  number: number | null,
  address_pool_id: number | null,
  addresses: NewAddress[],
): Place {
  const rendered = number === null ? null : nameOf(sketch, kind, number)
  const interface_name = sketch.body.interface_name ?? rendered ?? ''
  return {
    interface_name,
    is_name_templated: interface_name === rendered,
    tunnel_number: number,
    address_pool_id,
    addresses,
  }
}
