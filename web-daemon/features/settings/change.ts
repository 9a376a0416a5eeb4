// Changes settings: all of a batch or nothing, and the rest of the panel hears of it (interface.md, PUT /settings).
import type { CommandContext, ReadDb, WriteDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { DEFAULTS, isSettingKey, SETTINGS, type SettingKey, type SettingValues } from './definitions.ts'
import { RULES } from './rules.ts'
import { changedKeys, valuesIn } from './settings.ts'
import { clearSettings, writeSetting } from './store.ts'

/** What settings that name something elsewhere in the store are held against; null where it is there. */
export type References = {
  readonly [K in SettingKey]?: (db: ReadDb, value: SettingValues[K]) => Promise<string | null>
}

/** By key, in the order in which they are told. */
export type Wrong = ReadonlyMap<string, string>

interface SettingsChange {
  readonly values: Partial<SettingValues>
  /** Of which the default is wished for, and to be followed from now on. */
  readonly isReset?: boolean
}

/** Throws 422 with one message per key; then nothing is changed. Returns the keys whose value is another one than before. */
export async function changeSettings(
  context: CommandContext,
  { values, isReset = false }: SettingsChange,
  references: References,
): Promise<SettingKey[]> {
  const now = context.now().toISOString()
  const keys = Object.keys(values).filter(isSettingKey)
  const changed = await writeInSettings(context, async (transaction) => {
    const before = await valuesIn(transaction)
    const after = { ...before, ...values }
    refuse(await findWrong(transaction, after, keys, references))
    const changes = changedKeys(before, after)
    if (isReset) await clearSettings(transaction, keys)
    else for (const key of changes) await writeSetting(transaction, key, after[key], now)
    return changes.map((key) => ({ key, from: before[key], to: after[key] }))
  })
  for (const { key, from, to } of changed)
    context.note.operation(`${key}: ${JSON.stringify(from)} to ${JSON.stringify(to)}`)
  return changed.map(({ key }) => key)
}

/** The way for settings to be written, whoever does it: the rest of the panel hears of them once they are stored. */
export async function writeInSettings<T>(
  { db, settings }: Pick<CommandContext, 'db' | 'settings'>,
  work: (transaction: WriteDb) => Promise<T>,
): Promise<T> {
  const result = await db.transaction().execute(work)
  await settings.reload()
  return result
}

export const defaultsOf = (keys: readonly SettingKey[]): Partial<SettingValues> =>
  Object.fromEntries(keys.map((key) => [key, DEFAULTS[key]]))

export function refuse(wrong: Wrong): void {
  const [first] = wrong
  if (!first) return
  const [field, message] = first
  throw new Refusal(
    'VALIDATION_FAILED',
    `${isSettingKey(field) ? `The setting ${field} was refused, and nothing was changed. ` : ''}${message}`,
    { field, details: Object.fromEntries(wrong) },
  )
}

/** What is wrong with a value by itself. */
export const refusalOf = (field: string): string =>
  isSettingKey(field) ? SETTINGS[field].refusal : `There is no setting ${field.slice(0, 100)}.`

/** What is wrong with the settings as they would be by the doing of a batch of these keys. */
export async function findWrong(
  db: ReadDb,
  after: SettingValues,
  keys: readonly SettingKey[],
  references: References,
): Promise<Wrong> {
  return new Map([...brokenRules(after, keys), ...(await danglingReferences(db, after, keys, references))])
}

/** Told on each key of the batch that a rule is about; what was at odds before and is not touched is no doing of this batch. */
function brokenRules(after: SettingValues, keys: readonly SettingKey[]): Map<SettingKey, string> {
  const messages = RULES.flatMap((rule) => {
    const concerned = rule.keys.filter((key) => keys.includes(key))
    const message = concerned.length > 0 ? rule.broken(after) : null
    return message === null ? [] : concerned.map((key) => [key, message] as const)
  })
  return new Map(messages)
}

async function danglingReferences(
  db: ReadDb,
  after: SettingValues,
  keys: readonly SettingKey[],
  references: References,
): Promise<Map<SettingKey, string>> {
  const wrong = new Map<SettingKey, string>()
  for (const key of keys) {
    const message = await (references[key] as ((db: ReadDb, value: unknown) => Promise<string | null>) | undefined)?.(
      db,
      after[key],
    )
    if (typeof message === 'string') wrong.set(key, message)
  }
  return wrong
}
