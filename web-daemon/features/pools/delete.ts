// Removes an address pool that no tunnel uses (reference.md, DELETE /pools/{id}; decisions.md, R35).
import type { DeletePoolAnswer } from '@panel/shared/api/pools.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { requirePool } from './get.ts'
import { refuseInUse } from './in-use.ts'
import { refuseIfDefault } from './reference.ts'
import { deletePool } from './store.ts'
import type { PoolUse } from './use.ts'

/** In the change queue, because a tunnel that is being created may take from the pool. */
export function removePool({ users, release }: PoolUse) {
  return ({ db, note, inTurn, settings }: StoreContext, { params }: Incoming): Promise<Answer<DeletePoolAnswer>> =>
    inTurn(async () => {
      const pool = await requirePool(db, params)
      const { address_pool_id } = pool
      note.target('address_pool', address_pool_id)
      refuseInUse(pool, (await users(db)).get(address_pool_id), 'pool.in_use_not_deleted')
      refuseIfDefault(settings, pool, null)
      await db.transaction().execute(async (transaction) => {
        await release(transaction, address_pool_id)
        await deletePool(transaction, address_pool_id)
      })
      note.operation(`Deleted the pool ${pool.cidr}`)
      const answer: DeletePoolAnswer = { deleted: true, address_pool_id }
      return ok(answer)
    })
}
