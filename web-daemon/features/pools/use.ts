// What those who take subnets from pools tell about it. The tunnels do: they know the pools, and so the pools need not know them.
import type { Cidr } from '@panel/shared/address/ip.ts'
import type { ReadContext, ReadDb, WriteDb } from '../../platform/context.ts'
import type { PoolRecord } from './store.ts'

export interface PoolUser {
  readonly tunnel_id: number
  readonly interface_name: string
}

export interface PoolUse {
  /** By the id of their pool; a pool without users is not in it. */
  readonly users: (db: ReadDb) => Promise<ReadonlyMap<number, readonly PoolUser[]>>
  /** Takes the pool's id out of the records of what is no more, so that the pool can go. */
  readonly release: (db: WriteDb, address_pool_id: number) => Promise<void>
  /** What a tunnel from this pool would get now; throws 409 ALLOCATION_FAILED where nothing is left. Takes nothing. */
  readonly nextFree: (
    context: ReadContext,
    pool: PoolRecord,
  ) => Promise<{ readonly number: number; readonly subnet: Cidr }>
}
