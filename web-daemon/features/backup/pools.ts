// The address pools of a backup: an existing pool with the same range is updated, the others are created.
import type { BackupPool, ImportAction } from '@panel/shared/api/backup.ts'
import { CreatePoolBody, UpdatePoolBody, type ChangePoolAnswer, type PoolFields } from '@panel/shared/api/pools.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import type { Answer, Incoming } from '../../platform/http/endpoint.ts'
import { createPool, validatePool } from '../pools/create.ts'
import { defaultLength } from '../pools/range.ts'
import { refuseIfDefault } from '../pools/reference.ts'
import { allPools, withRange, type NewPool, type PoolRecord } from '../pools/store.ts'
import { replacePool } from '../pools/update.ts'
import type { PoolUse } from '../pools/use.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import { normalizeCidr } from './normalize.ts'
import { message } from '@panel/shared/messages/message.ts'
import { skip, wrong, type ImportResult, type Job, type Worker } from './worker.ts'

interface Pools {
  readonly items: readonly Item<BackupPool>[]
  readonly isIncluded: boolean
  readonly context: ReadContext
  readonly use: PoolUse
}

/** Adds to `ids` what each pool is on this host. */
export async function importPools(
  worker: Worker,
  { items, isIncluded, context, use }: Pools,
  ids: Ids,
): Promise<ImportAction[]> {
  const free = new Map((await allPools(context.db)).map((pool) => [pool.address_pool_id, pool]))
  const actions: ImportAction[] = []
  for (const one of items) {
    if (one.fault) {
      if (isIncluded) actions.push(wrong(worker, 'pool', one))
      continue
    }
    const { path, item } = one
    const { address_pool_id: id_in_backup, ...body } = item
    const existing = findExisting(body, [...free.values()])
    if (existing) free.delete(existing.address_pool_id)
    const action = isIncluded ? await importOne(worker, { path, body, existing, use }) : null
    if (action) actions.push(action)
    ids.learn(id_in_backup, existing?.address_pool_id ?? action?.target_id ?? null, action?.action === 'would_create')
  }
  return actions
}

/** Finds a pool with that range: the one with the same title, or else the same prefix length. */
function findExisting(
  { cidr, address_pool_title, prefix_length }: Omit<BackupPool, 'address_pool_id'>,
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

interface One {
  readonly path: string
  readonly body: UpdatePoolBody
  readonly existing: PoolRecord | undefined
  readonly use: PoolUse
}

async function importOne(worker: Worker, { path, body, existing, use }: One): Promise<ImportAction> {
  const target = normalizeCidr(body.cidr)
  if (existing && isAlike(body, existing))
    return skip('pool', target, existing.address_pool_id, message('backup.pool_same'))
  const common = { kind: 'pool', target, path, audit: 'PoolChange', body: { ...body }, needsHelper: false } as const
  const made = ({ body: answer }: Answer): ImportResult => {
    const { address_pool_id, warnings } = answer as ChangePoolAnswer
    return { target_id: address_pool_id, warnings }
  }
  const update: Job | null = existing
    ? {
        ...common,
        action: 'update',
        target_id: existing.address_pool_id,
        detail: message('backup.pool_changed'),
        schema: UpdatePoolBody,
        dryRun: ({ settings }, incoming) =>
          dryRunPool(incoming, { ...existing, lengthFor: () => existing.prefix_length }, (wanted) =>
            refuseIfDefault(settings, existing, withRange(wanted)),
          ),
        apply: async (context, incoming) => made(await replacePool(use)(context, incoming)),
      }
    : null
  const create: Job = {
    ...common,
    action: 'create',
    schema: CreatePoolBody,
    dryRun: ({ settings }, incoming) =>
      dryRunPool(incoming, { description: '', is_enabled: true, lengthFor: (range) => defaultLength(range, settings) }),
    apply: async (context: CommandContext, incoming) => made(await createPool(context, incoming)),
  }
  return worker.do(update ?? create)
}

/** Compares only the fields that the backup names. */
const isAlike = ({ cidr: _known, ...body }: PoolFields, existing: PoolRecord): boolean =>
  Object.entries(body).every(
    ([field, value]) => field === 'is_public_range' || existing[field as keyof PoolRecord] === value,
  )

async function dryRunPool(
  { body, problems }: Incoming<never>,
  stored: Parameters<typeof validatePool>[2],
  check: (wanted: NewPool) => void = () => undefined,
): Promise<ImportResult> {
  check(validatePool(body, problems, stored))
  return { target_id: null, warnings: [] }
}
