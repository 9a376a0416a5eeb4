// Reads and writes the stored settings: one row per setting that was ever changed, as JSON.
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { Problems } from '../../platform/http/problems.ts'
import { validate } from '../../platform/http/validate.ts'
import { isSettingKey, SettingsBody, type SettingKey, type SettingValue, type SettingValues } from './definitions.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

/** A value of another build that this one does not accept counts as not set. */
export async function storedSettings(db: ReadDb): Promise<Partial<SettingValues>> {
  const rows = await db.selectFrom('setting').select(['key', 'value']).execute()
  const stored = rows
    .filter(({ key }) => isSettingKey(key))
    .map(({ key, value }) => [key, fromStoredJson(value)] as const)
  return validate(SettingsBody, Object.fromEntries(stored), new Problems())
}

export async function writeSetting<K extends SettingKey>(
  db: WriteDb,
  key: K,
  setting: SettingValue<K>,
  now: string,
): Promise<void> {
  const row = { value: JSON.stringify(setting), updated_date: now }
  await db
    .insertInto('setting')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute()
}

/** They have their defaults again. */
export async function clearSettings(db: WriteDb, keys: readonly SettingKey[]): Promise<void> {
  await db
    .deleteFrom('setting')
    .where('key', 'in', [...keys])
    .execute()
}
