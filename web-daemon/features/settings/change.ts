// Changes settings: the whole batch or nothing; the rest of the panel is notified (reference.md, PUT /settings).
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { StoreContext, ReadDb, WriteDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { DEFAULTS, isSettingKey, SETTINGS, type SettingKey, type SettingValues } from './definitions.ts'
import { RULES } from './rules.ts'
import { changedKeys, readValues } from './settings.ts'
import { clearSettings, writeSetting } from './store.ts'

/** Checks of settings that refer to something in the store: an error message, or null. */
export type References = {
  readonly [K in SettingKey]?: (db: ReadDb, value: SettingValues[K]) => Promise<Message | null>
}

/** Error messages by key, in the order of the batch. */
export type Wrong = ReadonlyMap<string, Message>

interface SettingsChange {
  readonly values: Partial<SettingValues>
  /** Resets the keys to their defaults, which they follow from then on. */
  readonly isReset?: boolean
}

/** Throws 422 with one message per key, and changes nothing then. Returns the keys whose value has changed. */
export async function changeSettings(
  context: StoreContext,
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
  { db, settings }: Pick<StoreContext, 'db' | 'settings'>,
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
    isSettingKey(field) ? message('panel.setting_refused', { field, reason }) : reason,
    { field, details: wrongDetails(wrong) },
  )
}

/** The text of each key, and the same as fields of a form; a key is no field of a request that could be unknown. */
export function wrongDetails(wrong: Wrong): Record<string, unknown> {
  const texts = [...wrong].map(([key, { message: text }]) => [key, text] as const)
  return { ...Object.fromEntries(texts), fields: [...wrong].map(([field, sentence]) => ({ field, ...sentence })) }
}

/** The message for a value that is invalid by itself. */
export function invalidMessage(field: string): Message {
  return isSettingKey(field) ? SETTINGS[field].refusal : message('setting.unknown', { name: field.slice(0, 100) })
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
function brokenRules(after: SettingValues, keys: readonly SettingKey[]): Map<SettingKey, Message> {
  const messages = RULES.flatMap((rule) => {
    const concerned = rule.keys.filter((key) => keys.includes(key))
    const sentence = concerned.length > 0 ? rule.broken(after) : null
    return sentence === null ? [] : concerned.map((key) => [key, sentence] as const)
  })
  return new Map(messages)
}

async function danglingReferences(
  db: ReadDb,
  after: SettingValues,
  keys: readonly SettingKey[],
  references: References,
): Promise<Map<SettingKey, Message>> {
  const wrong = new Map<SettingKey, Message>()
  for (const key of keys) {
    const sentence = await (references[key] as ((db: ReadDb, value: unknown) => Promise<Message | null>) | undefined)?.(
      db,
      after[key],
    )
    if (sentence) wrong.set(key, sentence)
  }
  return wrong
}
