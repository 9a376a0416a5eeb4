// Allocates a free subnet and a free number together, from the pools to try (decisions.md, R5, R31, R32).
import { bitsOf, formatCidr, enclosingNetwork, overlaps, parseIp, type Cidr } from '@panel/shared/address/ip.ts'
import type { LinkKind } from '@panel/shared/tunnel/model.ts'
import { addressNetworks } from '@panel/shared/tunnel/networks.ts'
import { message } from '@panel/shared/messages/message.ts'
import { poolNamed, poolWithRange } from '@panel/shared/messages/named.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { poolCapacity, lowestFree, subnetAt } from '../../pools/allocation.ts'
import type { PoolRecord } from '../../pools/store.ts'
import { particularRoutes } from '../facts.ts'
import type { Ends } from './ends.ts'
import { freeNumbers, lowestNumber } from './naming.ts'
import { FIELD_ORDER, type DraftContext } from './context.ts'

export interface Allocation {
  readonly pool: PoolRecord
  readonly number: number
  readonly subnet: Cidr
}

/** A requested number is refused if its subnet is not free in any pool. */
export function checkNumber(draft: DraftContext, pools: readonly PoolRecord[], ends: Ends): void {
  const { body, problems } = draft
  const number = body.tunnel_number ?? null
  const [pool] = pools
  if (
    number === null ||
    !pool ||
    ['tunnel_number', 'address_pool_id', 'addresses'].some((field) => problems.has(field))
  )
    return
  const taken = takenNetworks(draft, ends)
  if (pools.some((one) => indexIfFree(one, number, taken) !== null)) return
  const subnet = subnetAt(pool, number)
  if (!subnet)
    problems.add(
      'tunnel_number',
      'INVALID_TUNNEL_NUMBER',
      message('tunnel.number_beyond_pool', {
        pool: poolNamed(pool),
        number: poolCapacity(pool).max_tunnel_number,
      }),
    )
  else
    problems.add(
      'tunnel_number',
      'ADDRESS_CONFLICT',
      message('tunnel.subnet_taken', {
        number,
        subnet: formatCidr(subnet),
        networks: taken
          .filter((network) => overlaps(network, subnet))
          .map(formatCidr)
          .join(', '),
      }),
    )
}

/** Throws 409 if no pool has a free subnet, after any problems of fields. */
export function allocate(draft: DraftContext, kind: LinkKind, pools: readonly PoolRecord[], ends: Ends): Allocation {
  const taken = takenNetworks(draft, ends)
  const given = draft.body.tunnel_number ?? null
  const isFree = freeNumbers(draft, kind)
  for (const pool of pools) {
    const index = given === null ? lowestFree(pool, taken, isFree) : indexIfFree(pool, given, taken)
    if (index !== null) return allocation(pool, index, index)
  }
  // If the numbers of a pool are used up but not its subnets, the number is not the index of the subnet.
  for (const pool of pools) {
    const index = lowestFree(pool, taken, () => true)
    if (index !== null) return allocation(pool, index, lowestNumber(draft, kind))
  }
  draft.problems.throwIfAny(FIELD_ORDER)
  const titles = pools.map((pool) => `${pool.address_pool_title} (${pool.cidr})`)
  throw new Refusal('ALLOCATION_FAILED', message('tunnel.no_subnet_left', { pools: pools.map(poolWithRange) }), {
    field: 'address_pool_id',
    details: { pools: titles },
  })
}

function allocation(pool: PoolRecord, index: number, number: number): Allocation {
  const subnet = subnetAt(pool, index)
  if (!subnet) throw new RangeError(`${pool.cidr} has no subnet ${index}`)
  return { pool, number, subnet }
}

function indexIfFree(pool: PoolRecord, number: number, taken: readonly Cidr[]): number | null {
  const subnet = subnetAt(pool, number)
  return subnet && !taken.some((network) => overlaps(network, subnet)) ? number : null
}

/**
 * Networks that an allocation avoids: addresses, routes and next hops of the host, those of other tunnels, and the
 * endpoints.
 */
function takenNetworks({ facts, existing }: DraftContext, { local, remote }: Ends): Cidr[] {
  const single = (text: string): Cidr[] => {
    const ip = parseIp(text)
    return ip ? [enclosingNetwork(ip, bitsOf(ip.family))] : []
  }
  return [
    ...facts.held.map(({ network }) => network),
    ...particularRoutes(facts).map(({ network }) => network),
    ...facts.routes.flatMap(({ entry }) => single(entry.gateway)),
    ...existing.flatMap((n) => [...addressNetworks(n.addresses), ...single(n.remote_endpoint)]),
    ...[local, remote].filter((ip) => ip !== null).map((ip) => enclosingNetwork(ip, bitsOf(ip.family))),
  ]
}
