// Replaces an address pool; while tunnels use it, its range must stay (reference.md, PUT /pools/{id}; decisions.md,
// R33).
import type { ChangePoolAnswer, UpdatePoolBody } from '@panel/shared/api/pools.ts'
import type { ReadContext, StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changed, validatePool } from './create.ts'
import { requirePool } from './get.ts'
import { refuseInUse } from './in-use.ts'
import { refuseIfDefault } from './reference.ts'
import { allPools, updatePool, withRange, type NewPool, type PoolRecord } from './store.ts'
import type { PoolUse } from './use.ts'

type Request = Incoming<UpdatePoolBody>

async function draftReplacement(
  { users }: PoolUse,
  stored: PoolRecord,
  { db, settings }: Pick<ReadContext, 'db' | 'settings'>,
  { body, problems }: Request,
) {
  const wanted = validatePool(body, problems, { ...stored, lengthFor: () => stored.prefix_length })
  const usersNow = (await users(db)).get(stored.address_pool_id)
  const field = fieldOfRange(stored, wanted)
  if (field) refuseInUse(stored, usersNow, field === 'cidr' ? 'pool.in_use_range' : 'pool.in_use_length', field)
  refuseIfDefault(settings, stored, withRange(wanted))
  return { wanted, usersNow }
}

export const checkReplacement = (use: PoolUse) => async (context: ReadContext, incoming: Request) =>
  draftReplacement(use, await requirePool(context.db, incoming.params), context, incoming)

/** In the change queue, because a tunnel that is being created may take from the pool. */
export function replacePool(use: PoolUse) {
  return (context: StoreContext, incoming: Request): Promise<Answer<ChangePoolAnswer>> =>
    context.inTurn(async () => {
      const { db, now, note } = context
      const stored = await requirePool(db, incoming.params)
      const { address_pool_id } = stored
      note.target('address_pool', address_pool_id)
      const { wanted, usersNow } = await draftReplacement(use, stored, context, incoming)
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
