// Number, name, pool and addresses of a tunnel: given, or allocated together (decisions.md, R5, R11, T19).
import { TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import { networkSums, whyNoName, whySum } from '@panel/shared/limits/judge.ts'
import type { LinkKind, TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { poolNamed, tunnelNamed } from '@panel/shared/messages/named.ts'
import { subnetEnds } from '../../pools/allocation.ts'
import type { PoolRecord } from '../../pools/store.ts'
import type { NewAddress } from '../record.ts'
import { draftAddresses, inOrder, warnOfPublicRange } from './addresses.ts'
import { allocate, checkNumber, type Allocation } from './allocate.ts'
import type { Ends } from './ends.ts'
import { checkName, lowestNumber, templateName, requestedSide } from './naming.ts'
import { addLimit, type DraftContext } from './context.ts'

export interface Place {
  readonly interface_name: string
  readonly is_name_templated: boolean
  readonly tunnel_number: number | null
  readonly address_pool_id: number | null
  readonly addresses: NewAddress[]
}

/** Null if a field that it depends on has a problem. */
export function draftPlace(draft: DraftContext, ends: Ends): Place | null {
  const { body, problems, kind } = draft
  checkGiven(draft)
  const pools = poolsFor(draft)
  const given = body.addresses ?? []
  const addresses = draftAddresses(draft, given, ends)
  if (draft.stored) {
    checkAddressLeft(draft, given.length)
    return kind && placeWithAddresses(draft, kind, addresses)
  }
  if (given.length === 0 && !draft.hasNoAddresses) checkNumber(draft, pools, ends)
  if (!kind || FIELDS.some((field) => problems.has(field))) return null
  if (given.length > 0 || draft.hasNoAddresses) return placeWithAddresses(draft, kind, addresses)
  return fromPool(draft, kind, allocate(draft, kind, pools, ends))
}

const FIELDS = ['interface_name', 'tunnel_side_id', 'tunnel_number', 'address_pool_id', 'addresses'] as const

/** For an existing tunnel an empty list means no addresses: nothing is allocated. */
function checkAddressLeft({ body, problems }: DraftContext, left: number): void {
  if (left === 0 && body.force !== true) problems.add('addresses', 'NO_ADDRESS', message('tunnel.no_address'))
}

function checkGiven(draft: DraftContext): void {
  const { body, problems, kind, existing } = draft
  if (body.interface_name !== undefined) checkName(draft, body.interface_name, 'interface_name')
  const number = body.tunnel_number ?? null
  if (number === null) return
  const owner = existing.find((n) => n.tunnel_number === number)
  if (owner)
    problems.add(
      'tunnel_number',
      'INVALID_TUNNEL_NUMBER',
      message('tunnel.number_taken', { tunnel: tunnelNamed(owner), number }),
      {
        tunnel_id: owner.tunnel_id,
      },
    )
  else if (kind && body.interface_name === undefined && !problems.has('interface_name'))
    checkName(draft, templateName(draft, kind, number), 'tunnel_number')
}

/** The pools to try, in order. If addresses are given, the pool is only recorded. */
function poolsFor(draft: DraftContext): PoolRecord[] {
  const { body, problems, pools } = draft
  const requested = body.address_pool_id ?? null
  const needed =
    !draft.stored && !draft.hasNoAddresses && (body.addresses ?? []).length === 0 && !problems.has('addresses')
  if (requested === null) {
    const usable = inOrderOfChoice(
      draft,
      pools.filter((pool) => pool.is_enabled && mayAllocate(draft, pool)),
    )
    if (usable.length === 0 && needed && !problems.has('address_pool_id'))
      problems.add('addresses', 'NO_ADDRESS', message('tunnel.no_pool_enabled'))
    return usable
  }
  const pool = pools.find(({ address_pool_id }) => address_pool_id === requested)
  if (!pool) problems.add('address_pool_id', 'UNKNOWN_ADDRESS_POOL', message('tunnel.no_pool', { pool_id: requested }))
  else if (needed && !mayAllocate(draft, pool)) {
    problems.add(
      'address_pool_id',
      'PUBLIC_RANGE_NOT_ALLOWED',
      message('tunnel.pool_public', { pool: poolNamed(pool), cidr: pool.cidr }),
    )
  }
  return pool ? [pool] : []
}

const mayAllocate = ({ body, settings }: DraftContext, pool: PoolRecord): boolean =>
  !pool.is_public_range || settings.get('addressing.allow_public_ranges') || body.force === true

/** The default pool of the settings comes first; if it is full, the others follow. */
function inOrderOfChoice({ settings }: DraftContext, pools: readonly PoolRecord[]): PoolRecord[] {
  const isChosen = ({ address_pool_id }: PoolRecord): boolean =>
    address_pool_id === settings.get('addressing.default_pool_id')
  return [...pools.filter(isChosen), ...pools.filter((pool) => !isChosen(pool))]
}

function placeWithAddresses(draft: DraftContext, kind: LinkKind, addresses: NewAddress[]): Place {
  const { body } = draft
  // Only a name from the template needs a number.
  const number = body.tunnel_number ?? (body.interface_name === undefined ? lowestNumber(draft, kind) : null)
  return makePlace(draft, kind, number, body.address_pool_id ?? null, addresses)
}

function fromPool(draft: DraftContext, kind: LinkKind, { pool, number, subnet }: Allocation): Place {
  const { address_a, address_b } = subnetEnds(subnet)
  const [address, peer_address] =
    requestedSide(draft) === TUNNEL_SIDES.A ? [address_a, address_b] : [address_b, address_a]
  const own: TunnelAddress = { address, peer_address, prefix_length: subnet.prefix_length }
  if (pool.is_public_range) warnOfPublicRange(draft, subnet, 'addresses.0.address')
  return makePlace(draft, kind, number, pool.address_pool_id, inOrder([own]))
}

/**
 * A name that equals the rendered one counts as templated, even if it was given: so a preview's answer can be posted
 * unchanged.
 */
function makePlace(
  draft: DraftContext,
  kind: LinkKind,
  number: number | null,
  address_pool_id: number | null,
  addresses: NewAddress[],
): Place {
  const rendered = number === null ? null : templateName(draft, kind, number)
  const interface_name = draft.body.interface_name ?? rendered ?? ''
  checkSums(draft, interface_name, addresses)
  return {
    interface_name,
    is_name_templated: interface_name === rendered,
    tunnel_number: number,
    address_pool_id,
    addresses,
  }
}

/** Sums over all tunnels, and the name where the template has made it. */
function checkSums(draft: DraftContext, interface_name: string, addresses: readonly NewAddress[]): void {
  const { stored, existing, body } = draft
  if (interface_name !== stored?.interface_name) checkTemplated(draft, interface_name)
  addLimit(draft, (body.addresses ?? []).length > 0 ? 'addresses' : 'address_pool_id', (allowed) => {
    const others = existing.map((one) => one.addresses)
    const sums = (own: readonly (readonly TunnelAddress[])[]) => ({
      ...networkSums(allowed.limits, [...others, ...own]),
      tunnels: others.length + own.length,
    })
    return whySum(allowed, sums(stored ? [stored.addresses] : []), sums([addresses]))
  })
}

function checkTemplated({ body, facts: { limits }, problems }: DraftContext, name: string): void {
  const limit = body.interface_name === undefined ? limits && whyNoName(limits, name) : null
  if (limit && !problems.has('interface_name')) problems.add('interface_name', 'INTERFACE_NAME_RESERVED', limit)
}
