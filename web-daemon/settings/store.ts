// Reads and writes the stored settings. A value is typed by its key; what was never written is what its definition says.
import type { ReadDb, WriteDb } from '../context.ts'
import { SETTINGS, type SettingKey, type SettingValue } from './definitions.ts'

export async function readSetting<K extends SettingKey>(db: ReadDb, key: K): Promise<SettingValue<K>> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
  return (row ? JSON.parse(row.value) : SETTINGS[key].default) as SettingValue<K>
}

export async function writeSetting<K extends SettingKey>(db: WriteDb, key: K, setting: SettingValue<K>, now: string): Promise<void> {
  const row = { value: JSON.stringify(setting), updated_date: now }
  await db.insertInto('setting').values({ key, ...row }).onConflict((conflict) => conflict.column('key').doUpdateSet(row)).execute()
}
