// Validates settings that name a pool.
import type { ReadDb } from '../../platform/context.ts'
import { findPool } from './store.ts'

/** The error for the operator; null if the pool exists or none is named. */
export async function noSuchPool(db: ReadDb, address_pool_id: number | null): Promise<string | null> {
  return address_pool_id === null || (await findPool(db, address_pool_id))
    ? null
    : `There is no pool ${address_pool_id}.`
}
