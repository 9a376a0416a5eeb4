// The address pools of a backup: known by their range, brought into line where they are there, made where they are not.
import type { BackupPool, ImportAction } from '@panel/shared/api/backup.ts'
import { CreatePoolBody, UpdatePoolBody, type ChangePoolAnswer, type PoolFields } from '@panel/shared/api/pools.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import type { Answer, Incoming } from '../../platform/http/endpoint.ts'
import { createPool, poolOf } from '../pools/create.ts'
import { usualLength } from '../pools/range.ts'
import { allPools, type PoolRecord } from '../pools/store.ts'
import { replacePool } from '../pools/update.ts'
import type { PoolUse } from '../pools/use.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { spelledCidr } from './spelling.ts'
import { skip, type Done, type Job, type Worker } from './worker.ts'

interface Pools {
  readonly items: readonly Item<BackupPool>[]
  readonly isIncluded: boolean
  readonly context: ReadContext
  readonly use: PoolUse
}

/** `ids` is told what each is here. */
export async function importPools(
  worker: Worker,
  { items, isIncluded, context, use }: Pools,
  ids: Ids,
): Promise<ImportAction[]> {
  const free = new Map((await allPools(context.db)).map((pool) => [pool.address_pool_id, pool]))
  const actions: ImportAction[] = []
  for (const { path, item } of items) {
    const { address_pool_id: own, ...body } = item
    const twin = twinOf(body, [...free.values()])
    if (twin) free.delete(twin.address_pool_id)
    const action = isIncluded ? await importOne(worker, { path, body, twin, use }) : null
    if (action) actions.push(action)
    ids.learn(own, twin?.address_pool_id ?? action?.target_id ?? null, action?.action === 'would_create')
  }
  return actions
}

/** A panel may have several of one range: then the one with the same title, or else cut alike. */
function twinOf(
  { cidr, address_pool_title, prefix_length }: Omit<BackupPool, 'address_pool_id'>,
  pools: readonly PoolRecord[],
): PoolRecord | undefined {
  const range = spelledCidr(cidr)
  const alike = pools.filter((pool) => pool.cidr === range)
  return (
    alike.find((pool) => pool.address_pool_title === address_pool_title) ??
    alike.find((pool) => pool.prefix_length === prefix_length) ??
    alike[0]
  )
}

interface One {
  readonly path: string
  readonly body: UpdatePoolBody
  readonly twin: PoolRecord | undefined
  readonly use: PoolUse
}

async function importOne(worker: Worker, { path, body, twin, use }: One): Promise<ImportAction> {
  const target = spelledCidr(body.cidr)
  if (twin && isAlike(body, twin))
    return skip('pool', target, twin.address_pool_id, 'A pool of this range is here, and is as in the backup.')
  const common = { kind: 'pool', target, path, audit: 'PoolChange', body: { ...body }, needsHelper: false } as const
  const made = ({ body: { address_pool_id, warnings } }: Answer<ChangePoolAnswer>): Done => ({
    target_id: address_pool_id,
    warnings,
  })
  const update: Job | null = twin
    ? {
        ...common,
        wish: 'update',
        target_id: twin.address_pool_id,
        detail: 'A pool of this range is here: it is made as in the backup.',
        schema: UpdatePoolBody,
        look: (_context, incoming) => lookedAt(incoming, { ...twin, lengthFor: () => twin.prefix_length }),
        carryOut: async (context, incoming) => made(await replacePool(use)(context, incoming)),
      }
    : null
  const create: Job = {
    ...common,
    wish: 'create',
    schema: CreatePoolBody,
    look: ({ settings }, incoming) =>
      lookedAt(incoming, { description: '', is_enabled: true, lengthFor: (range) => usualLength(range, settings) }),
    carryOut: async (context: CommandContext, incoming) => made(await createPool(context, incoming)),
  }
  return worker.do(update ?? create)
}

/** As far as the backup says. */
const isAlike = ({ cidr: _known, ...body }: PoolFields, twin: PoolRecord): boolean =>
  Object.entries(body).every(
    ([field, value]) => field === 'is_public_range' || twin[field as keyof PoolRecord] === value,
  )

async function lookedAt({ body, problems }: Incoming<never>, stored: Parameters<typeof poolOf>[2]): Promise<Done> {
  poolOf(body, problems, stored)
  return { target_id: null, warnings: [] }
}
