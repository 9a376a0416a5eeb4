// The address pools of a backup: an existing pool with the same range is updated, the others are created.
import type { BackupPool, ImportAction } from '@panel/shared/api/backup.ts'
import type { UpdatePoolBody } from '@panel/shared/api/pools.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { allPools, type PoolRecord } from '../pools/store.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { normalizeCidr } from './normalize.ts'
import { importEach, skip, type Worker } from './worker.ts'

interface Pools {
  readonly items: readonly Item<BackupPool>[]
  readonly isIncluded: boolean
}

/** Adds to `ids` what each pool is on this host. */
export async function importPools(
  worker: Worker,
  { db }: Pick<ReadContext, 'db'>,
  { items, isIncluded }: Pools,
  ids: Ids,
): Promise<ImportAction[]> {
  const free = new Map((await allPools(db)).map((pool) => [pool.address_pool_id, pool]))
  const actions = await importEach(worker, 'pool', items, async ({ path, item }) => {
    const { address_pool_id: id_in_backup, ...body } = item
    const existing = findExisting(body, [...free.values()])
    if (existing) free.delete(existing.address_pool_id)
    const action = isIncluded ? await importOne(worker, path, body, existing) : null
    ids.learn(id_in_backup, existing?.address_pool_id ?? action?.target_id ?? null, action?.action === 'would_create')
    return action
  })
  return isIncluded ? actions : []
}

/** Finds a pool with that range: the one with the same title, or else the same prefix length. */
function findExisting(
  { cidr, address_pool_title, prefix_length }: UpdatePoolBody,
  pools: readonly PoolRecord[],
): PoolRecord | undefined {
  const range = normalizeCidr(cidr)
  const alike = pools.filter((pool) => pool.cidr === range)
  return (
    alike.find((pool) => pool.address_pool_title === address_pool_title) ??
    alike.find((pool) => pool.prefix_length === prefix_length) ??
    alike[0]
  )
}

async function importOne(
  worker: Worker,
  place: string,
  body: UpdatePoolBody,
  existing: PoolRecord | undefined,
): Promise<ImportAction> {
  const common = { kind: 'pool', target: normalizeCidr(body.cidr), place, body: { ...body } } as const
  if (!existing) return worker.do({ ...common, method: 'POST', path: '/pools' })
  const { address_pool_id: target_id } = existing
  if (isAlike(body, existing)) return skip('pool', common.target, target_id, message('backup.pool_same'))
  const detail = message('backup.pool_changed')
  return worker.do({ ...common, method: 'PUT', path: `/pools/${target_id}`, target_id, detail })
}

/** Compares only the fields that the backup names. */
const isAlike = ({ cidr: _known, ...body }: UpdatePoolBody, existing: PoolRecord): boolean =>
  Object.entries(body).every(
    ([field, value]) => field === 'is_public_range' || existing[field as keyof PoolRecord] === value,
  )
