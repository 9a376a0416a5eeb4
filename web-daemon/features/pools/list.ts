// GET /pools: all address pools, in the order in which they are tried (interface.md, GET /pools).
import type { ListPoolsAnswer } from '@panel/shared/api/pools.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { allPools } from './store.ts'
import type { PoolUse } from './use.ts'
import { poolView } from './view.ts'

export const listPools =
  ({ users }: PoolUse) =>
  async ({ db }: ReadContext): Promise<Answer<ListPoolsAnswer>> => {
    const usersOf = await users(db)
    const pools = (await allPools(db)).map((pool) => poolView(pool, usersOf.get(pool.address_pool_id)))
    const answer: ListPoolsAnswer = { pools, total: pools.length }
    return ok(answer)
  }
