// The settings of a backup: those that differ are changed in one batch, without those whose value is refused.
import type { ImportAction } from '@panel/shared/api/backup.ts'
import type { CommandContext, ReadDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { changeSettings, findWrong, type References, type Wrong } from '../settings/change.ts'
import { SettingsBody, type SettingKey, type SettingValues } from '../settings/definitions.ts'
import { changedKeys, readValues } from '../settings/settings.ts'
import type { Ids } from './ids.ts'
import { isRight, type GivenSetting, type Item, type RightItem } from './read.ts'
import { failed, itemError, skip, wrong, type Job, type Worker } from './worker.ts'

interface Batch {
  readonly items: readonly Item<GivenSetting>[]
  readonly references: References
  readonly db: ReadDb
}

/** One action for each item, in their order. */
export async function importSettings(worker: Worker, { items, references, db }: Batch): Promise<ImportAction[]> {
  const before = await readValues(db)
  const { values, refusals } = await possible(db, before, items.filter(isRight), references)
  const changing = changedKeys(before, { ...before, ...values })
  const batch = changing.length === 0 ? null : await worker.do(importJob(changing, values, references))
  return items.map((one): ImportAction => {
    if (one.fault) return wrong(worker, 'setting', one)
    const { key } = one.item
    const message = refusals.get(key)
    if (message !== undefined) return refused(worker, one.path, key, message)
    return batch && changing.includes(key) ? { ...batch, target: key } : skip('setting', key, null, '')
  })
}

/** Removing one refused setting can make another one valid or invalid, so the rest is checked again. */
async function possible(
  db: ReadDb,
  before: SettingValues,
  items: readonly RightItem<GivenSetting>[],
  references: References,
): Promise<{ values: Partial<SettingValues>; refusals: Wrong }> {
  const refusals = new Map<string, string>()
  for (;;) {
    const values = Object.fromEntries(
      items.filter(({ item }) => !refusals.has(item.key)).map(({ item }) => [item.key, item.value]),
    ) as Partial<SettingValues>
    const problems = await findWrong(db, { ...before, ...values }, Object.keys(values) as SettingKey[], references)
    if (problems.size === 0) return { values, refusals }
    for (const [key, message] of problems) refusals.set(key, message)
  }
}

function importJob(changing: readonly SettingKey[], values: Partial<SettingValues>, references: References): Job {
  const body = Object.fromEntries(changing.map((key) => [key, values[key]]))
  const apply = async (context: CommandContext) => {
    context.note.target('settings', null)
    await changeSettings(context, { values: body }, references)
    return { target_id: null, warnings: [] }
  }
  return {
    kind: 'setting',
    target: '',
    path: 'backup.settings',
    action: 'update',
    audit: 'SettingUpdate',
    body,
    schema: SettingsBody,
    needsHelper: false,
    dryRun: null,
    apply,
  }
}

const refused = (worker: Worker, path: string, key: string, message: string): ImportAction =>
  failed(
    worker,
    { kind: 'setting', target: key, planned: 'would_update' },
    {
      ...itemError({ path }, new Refusal('VALIDATION_FAILED', message, { details: { [key]: message } })),
      field: path,
    },
  )

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
      actions.push({ ...skip('setting', item.key, null, ''), action: 'would_update' })
    else actions.push(refused(worker, path, item.key, `The backup's pool ${id_in_backup} is not on this server.`))
  }
  return actions
}
