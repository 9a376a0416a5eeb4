// The settings of a backup: those that differ are changed in one batch, without those whose value is refused.
import type { ImportAction } from '@panel/shared/api/backup.ts'
import { message, type Message, verbatim } from '@panel/shared/messages/message.ts'
import type { ReadDb } from '../../platform/context.ts'
import { asRefusal, makeEnvelope } from '../../platform/http/answer.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { findWrong, wrongDetails, type References, type Wrong } from '../settings/change.ts'
import type { SettingKey, SettingValues } from '../settings/definitions.ts'
import { isGuarded } from '../settings/guarded.ts'
import { changedKeys, readValues } from '../settings/settings.ts'
import type { Ids } from './ids.ts'
import { isRight, type GivenSetting, type Item, type RightItem } from './read.ts'
import { failed, itemError, skip, wrong, type Job, type Worker } from './worker.ts'

interface Batch {
  readonly items: readonly Item<GivenSetting>[]
  /** Throws unless the operator has confirmed a change of what guards the panel. */
  readonly confirm: () => Promise<void>
  readonly references: References
  readonly db: ReadDb
}

/** One action for each item, in their order. */
export async function importSettings(worker: Worker, batch: Batch): Promise<ImportAction[]> {
  const { items, references, db } = batch
  const before = await readValues(db)
  const right = items.filter(isRight)
  const unconfirmed = await findUnconfirmed(before, { ...batch, items: right })
  const open = right.filter(({ item }) => !unconfirmed?.keys.includes(item.key))
  const { values, refusals } = await possible(db, before, open, references)
  const changing = changedKeys(before, { ...before, ...values })
  const done = changing.length === 0 ? null : await worker.do(importJob(changing, values))
  const locked = done && lockedIn(done)
  if (done && locked !== null) {
    const isLocked = (one: Item<GivenSetting>): boolean => one.fault === null && one.item.key === locked
    const others = await importSettings(worker, { ...batch, items: items.filter((one) => !isLocked(one)) })
    return items.flatMap((one) => (isLocked(one) ? { ...done, target: locked } : (others.shift() ?? [])))
  }
  return items.map((one): ImportAction => {
    if (one.fault) return wrong(worker, 'setting', one)
    const { key } = one.item
    if (unconfirmed?.keys.includes(key)) return refused(worker, key, unconfirmed.error)
    const sentence = refusals.get(key)
    if (sentence !== undefined) return refused(worker, key, invalid(one.path, key, sentence), sentence)
    return done && changing.includes(key)
      ? { ...done, target: key, warnings: [] }
      : skip('setting', key, null, verbatim(''))
  })
}

/** The setting of a locked file for which all were refused. */
const lockedIn = ({ error }: ImportAction): string | null =>
  error?.code === 'MANAGED_BY_FILE' ? String(error.details['target_key']) : null

/** The guarded settings that would change, and why they may not. */
async function findUnconfirmed(
  before: SettingValues,
  { items, confirm }: Pick<Batch, 'confirm'> & { readonly items: readonly RightItem<GivenSetting>[] },
): Promise<{ keys: readonly SettingKey[]; error: ImportError } | null> {
  const given = Object.fromEntries(
    items.filter(({ item }) => isGuarded(item.key)).map(({ item }) => [item.key, item.value]),
  )
  const keys = changedKeys(before, { ...before, ...given })
  if (keys.length === 0) return null
  try {
    await confirm()
    return null
  } catch (thrown) {
    return { keys, error: makeEnvelope(asRefusal(thrown)).error }
  }
}

/**
 * The values that one request can change: it is refused as a whole if one of them is. Removing one refused setting can
 * make another one valid or invalid, so the rest is checked again.
 */
async function possible(
  db: ReadDb,
  before: SettingValues,
  items: readonly RightItem<GivenSetting>[],
  references: References,
): Promise<{ values: Partial<SettingValues>; refusals: Wrong }> {
  const refusals = new Map<string, Message>()
  for (;;) {
    const values = Object.fromEntries(
      items.filter(({ item }) => !refusals.has(item.key)).map(({ item }) => [item.key, item.value]),
    ) as Partial<SettingValues>
    const problems = await findWrong(db, { ...before, ...values }, Object.keys(values) as SettingKey[], references)
    if (problems.size === 0) return { values, refusals }
    for (const [key, sentence] of problems) refusals.set(key, sentence)
  }
}

const importJob = (changing: readonly SettingKey[], values: Partial<SettingValues>): Job => ({
  kind: 'setting',
  target: '',
  place: 'backup.settings',
  method: 'PUT',
  path: '/settings',
  body: Object.fromEntries(changing.map((key) => [key, values[key]])),
})

type ImportError = NonNullable<ImportAction['error']>

const refused = (worker: Worker, key: string, error: ImportError, sentence?: Message): ImportAction =>
  failed(worker, { kind: 'setting', target: key, planned: 'would_update' }, error, sentence)

const invalid = (path: string, key: string, sentence: Message): ImportError => ({
  ...itemError(path, new Refusal('VALIDATION_FAILED', sentence, { details: wrongDetails(new Map([[key, sentence]])) })),
  field: path,
})

const NAMES_A_POOL = 'addressing.default_pool_id'

export function namesAPool(one: Item<GivenSetting>): boolean {
  return isRight(one) && one.item.key === NAMES_A_POOL
}

/** The setting that names a pool, which has another id here, or none. Import it after the pools. */
export async function importPoolSetting(
  worker: Worker,
  { items, ...batch }: Batch & { readonly items: readonly RightItem<GivenSetting>[] },
  pools: Ids,
): Promise<ImportAction[]> {
  const actions: ImportAction[] = []
  for (const { path, item, fault } of items) {
    const id_in_backup = item.value as number | null
    const value = pools.here(id_in_backup)
    if (id_in_backup === null || value !== null)
      actions.push(...(await importSettings(worker, { ...batch, items: [{ path, item: { ...item, value }, fault }] })))
    else if (pools.isPlanned(id_in_backup))
      actions.push({ ...skip('setting', item.key, null, verbatim('')), action: 'would_update' })
    else {
      const sentence = message('backup.pool_missing', { pool_id: id_in_backup })
      actions.push(refused(worker, item.key, invalid(path, item.key, sentence), sentence))
    }
  }
  return actions
}
