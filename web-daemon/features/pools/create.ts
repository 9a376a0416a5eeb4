// Adds an address pool (reference.md, POST /pools; decisions.md, R35).
import type { ChangePoolAnswer, CreatePoolBody, PoolFields } from '@panel/shared/api/pools.ts'
import type { Cidr } from '@panel/shared/address/ip.ts'
import type { ReadContext, StoreContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { parseRange, defaultLength } from './range.ts'
import { allPools, insertPool, type NewPool } from './store.ts'
import { poolView } from './view.ts'
import { poolWarnings } from './warnings.ts'

export async function createPool(
  { db, now, note, settings }: StoreContext,
  incoming: Incoming<CreatePoolBody>,
): Promise<Answer<ChangePoolAnswer>> {
  const pool = await draftPool({ settings }, incoming)
  const address_pool_id = await db
    .transaction()
    .execute((transaction) => insertPool(transaction, pool, now().toISOString(), incoming.reviving ?? undefined))
  note.target('address_pool', address_pool_id)
  note.operation(`Added the pool ${pool.cidr}, /${pool.prefix_length} for each tunnel`)
  return created(changed(await allPools(db), address_pool_id))
}

export const draftPool = async (
  { settings }: Pick<ReadContext, 'settings'>,
  { body, problems }: Pick<Incoming<CreatePoolBody>, 'body' | 'problems'>,
): Promise<NewPool> =>
  validatePool(body, problems, {
    description: '',
    is_enabled: true,
    lengthFor: (range) => defaultLength(range, settings),
  })

interface Standard {
  readonly description: string
  readonly is_enabled: boolean
  readonly lengthFor: (range: Cidr) => number
}

/** Throws 422 with all problems at once. `stored` has the values of fields that may be left out. */
export function validatePool(body: PoolFields, problems: Problems, stored: Standard): NewPool {
  const range = parseRange(body, problems, stored.lengthFor)
  problems.throwIfAny()
  const { address_pool_title, description = stored.description, is_enabled = stored.is_enabled } = body
  if (!range || address_pool_title === undefined) throw new Error('A pool without problems is incomplete')
  return { address_pool_title, description, is_enabled, ...range }
}

export function changed(
  all: Awaited<ReturnType<typeof allPools>>,
  address_pool_id: number,
  users?: Parameters<typeof poolView>[1],
): ChangePoolAnswer {
  const pool = all.find((one) => one.address_pool_id === address_pool_id)
  if (!pool) throw new Error(`Pool ${address_pool_id} was stored and is not there`)
  return { ...poolView(pool, users), warnings: poolWarnings(pool, all) }
}
