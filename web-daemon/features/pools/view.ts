// A pool as it is sent: the record, the capacity of its range, and its users (decisions.md, R31, R35).
import type { PoolView } from '@panel/shared/api/pools.ts'
import { capacityOf } from './allocation.ts'
import type { PoolRecord } from './store.ts'
import type { PoolUser } from './use.ts'

export function poolView(pool: PoolRecord, users: readonly PoolUser[] = []): PoolView {
  return { ...pool, capacity: capacityOf(pool), in_use: users.length > 0, tunnel_count: users.length }
}
