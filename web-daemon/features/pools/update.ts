// Replaces an address pool; while tunnels use it, its range must stay (reference.md, PUT /pools/{id}; decisions.md,
// R33).
import type { ChangePoolAnswer, UpdatePoolBody } from '@panel/shared/api/pools.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changed, validatePool } from './create.ts'
import { requirePool } from './get.ts'
import { refuseInUse } from './in-use.ts'
import { refuseIfDefault } from './reference.ts'
import { allPools, updatePool, withRange, type NewPool, type PoolRecord } from './store.ts'
import type { PoolUse } from './use.ts'

/** In the change queue, because a tunnel that is being created may take from the pool. */
export function replacePool({ users }: PoolUse) {
  return (
    { db, now, note, inTurn, settings }: StoreContext,
    { params, body, problems }: Incoming<UpdatePoolBody>,
  ): Promise<Answer<ChangePoolAnswer>> =>
    inTurn(async () => {
      const stored = await requirePool(db, params)
      const { address_pool_id } = stored
      note.target('address_pool', address_pool_id)
      const wanted = validatePool(body, problems, { ...stored, lengthFor: () => stored.prefix_length })
      const usersNow = (await users(db)).get(address_pool_id)
      const field = fieldOfRange(stored, wanted)
      if (field) refuseInUse(stored, usersNow, field === 'cidr' ? 'pool.in_use_range' : 'pool.in_use_length', field)
      refuseIfDefault(settings, stored, withRange(wanted))
      await db
        .transaction()
        .execute((transaction) => updatePool(transaction, address_pool_id, wanted, now().toISOString()))
      note.operation(`Replaced the pool ${stored.cidr}`)
      note.rename(stored.address_pool_title, wanted.address_pool_title)
      return ok(changed(await allPools(db), address_pool_id, usersNow))
    })
}

const fieldOfRange = (stored: PoolRecord, wanted: NewPool): 'cidr' | 'prefix_length' | undefined =>
  (['cidr', 'prefix_length'] as const).find((field) => stored[field] !== wanted[field])
