// Changes settings: the whole batch or nothing; the rest of the panel is notified (reference.md, PUT /settings).
import { message, verbatim } from '@panel/shared/messages/message.ts'
import type { CommandContext, ReadDb, WriteDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { DEFAULTS, isSettingKey, SETTINGS, type SettingKey, type SettingValues } from './definitions.ts'
import { RULES } from './rules.ts'
import { changedKeys, readValues } from './settings.ts'
import { clearSettings, writeSetting } from './store.ts'

/** Checks of settings that refer to something in the store: an error message, or null. */
export type References = {
  readonly [K in SettingKey]?: (db: ReadDb, value: SettingValues[K]) => Promise<string | null>
}

/** Error messages by key, in the order of the batch. */
export type Wrong = ReadonlyMap<string, string>

interface SettingsChange {
  readonly values: Partial<SettingValues>
  /** Resets the keys to their defaults, which they follow from then on. */
  readonly isReset?: boolean
}

/** Throws 422 with one message per key, and changes nothing then. Returns the keys whose value has changed. */
export async function changeSettings(
  context: CommandContext,
  { values, isReset = false }: SettingsChange,
  references: References,
): Promise<SettingKey[]> {
  const now = context.now().toISOString()
  const keys = Object.keys(values).filter(isSettingKey)
  const changed = await writeInSettings(context, async (transaction) => {
    const before = await readValues(transaction)
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

/** Every write of settings goes through here, so that the rest of the panel is notified after it. */
export async function writeInSettings<T>(
  { db, settings }: Pick<CommandContext, 'db' | 'settings'>,
  work: (transaction: WriteDb) => Promise<T>,
): Promise<T> {
  const result = await db.transaction().execute(work)
  await settings.reload()
  return result
}

export function defaultValues(keys: readonly SettingKey[]): Partial<SettingValues> {
  return Object.fromEntries(keys.map((key) => [key, DEFAULTS[key]]))
}

export function refuse(wrong: Wrong): void {
  const [first] = wrong
  if (!first) return
  const [field, reason] = first
  throw new Refusal(
    'VALIDATION_FAILED',
    isSettingKey(field) ? message('panel.setting_refused', { key: field, reason }) : verbatim(reason),
    { field, details: Object.fromEntries(wrong) },
  )
}

/** The message for a value that is invalid by itself. */
export function invalidMessage(field: string): string {
  return isSettingKey(field) ? SETTINGS[field].refusal : `There is no setting ${field.slice(0, 100)}.`
}

/** Messages for everything that a change of these keys makes invalid. */
export async function findWrong(
  db: ReadDb,
  after: SettingValues,
  keys: readonly SettingKey[],
  references: References,
): Promise<Wrong> {
  return new Map([...brokenRules(after, keys), ...(await danglingReferences(db, after, keys, references))])
}

/**
 * A message for each changed key that a broken rule involves. A conflict between unchanged settings is not reported.
 */
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
