// What the users of pools report about their use. Tunnels implement it, since they know pools and pools do not know
// them.
import type { Cidr } from '@panel/shared/address/ip.ts'
import type { ReadContext, ReadDb, WriteDb } from '../../platform/context.ts'
import type { PoolRecord } from './store.ts'

export interface PoolUser {
  readonly tunnel_id: number
  readonly interface_name: string
}

export interface PoolUse {
  /** The users by pool id; pools without users are left out. */
  readonly users: (db: ReadDb) => Promise<ReadonlyMap<number, readonly PoolUser[]>>
  /** Clears the pool in the records of deleted tunnels, so that it can be deleted. */
  readonly release: (db: WriteDb, address_pool_id: number) => Promise<void>
  /** What a tunnel from this pool would get now; throws 409 ALLOCATION_FAILED if nothing is left. Reserves nothing. */
  readonly nextFree: (
    context: ReadContext,
    pool: PoolRecord,
  ) => Promise<{ readonly number: number; readonly subnet: Cidr }>
}
