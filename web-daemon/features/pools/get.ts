// GET /pools/{id}, and the error for an unknown pool (reference.md, GET /pools/{id}).
import type { PoolView } from '@panel/shared/api/pools.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, ReadDb } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { findPool, type PoolRecord } from './store.ts'
import type { PoolUse } from './use.ts'
import { poolView } from './view.ts'

export function getPool({ users }: PoolUse) {
  return async ({ db }: ReadContext, { params }: Incoming): Promise<Answer<PoolView>> => {
    const pool = await requirePool(db, params)
    return ok(poolView(pool, (await users(db)).get(pool.address_pool_id)))
  }
}

/** Throws 404 if there is none. */
export async function requirePool(db: ReadDb, params: Incoming['params']): Promise<PoolRecord> {
  const id = params['id']
  const pool = id === undefined ? null : await findPool(db, id)
  if (!pool) throw new Refusal('NOT_FOUND', message('pool.not_found', { pool_id: id ?? '' }))
  return pool
}
