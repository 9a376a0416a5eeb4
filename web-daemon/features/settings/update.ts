// PUT /settings and POST /settings/reset (reference.md, Settings).
import type { ResetSettingsBody, ChangeSettingsAnswer } from '@panel/shared/api/settings.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import {
  changeSettings,
  defaultValues,
  findWrong,
  invalidMessage,
  refuse,
  type References,
  type Wrong,
} from './change.ts'
import { isSettingKey, SETTING_KEYS, type SettingKey, type SettingValues } from './definitions.ts'
import { warnOfNeeds } from './needs.ts'
import { readValues } from './settings.ts'
import { changeAnswer } from './view.ts'

export function updateSettings(references: References, whyNoProbes: () => Message | null) {
  return async (
    context: StoreContext,
    { body, problems }: Incoming<Partial<SettingValues>>,
  ): Promise<Answer<ChangeSettingsAnswer>> => {
    context.note.target('settings', null)
    const invalid = new Map(problems.all.map(({ field }) => keyOf(field)).map((key) => [key, invalidMessage(key)]))
    if (invalid.size > 0) refuse(new Map([...invalid, ...(await wrongBeside(context, body, invalid, references))]))
    if (Object.keys(body).length === 0) throw new Refusal('INVALID_REQUEST', message('panel.nothing_to_change'))
    const changed = await changeSettings(context, { values: body }, references)
    const given = SETTING_KEYS.filter((key) => Object.hasOwn(body, key))
    return ok(changeAnswer(context.settings, changed, await warnOfNeeds(context, whyNoProbes, given)))
  }
}

/** What rules say of the values that are right by themselves: all faults of a form come at once. */
async function wrongBeside(
  { db }: StoreContext,
  body: Partial<SettingValues>,
  invalid: Wrong,
  references: References,
): Promise<Wrong> {
  const given = Object.entries(body).filter(([key]) => isSettingKey(key) && !invalid.has(key))
  const values = { ...(await readValues(db)), ...Object.fromEntries(given) }
  return findWrong(db, values, given.map(([key]) => key).filter(isSettingKey), references)
}

export function resetSettings(references: References, whyNoProbes: () => Message | null) {
  return async (
    context: StoreContext,
    { body }: Incoming<ResetSettingsBody>,
  ): Promise<Answer<ChangeSettingsAnswer>> => {
    context.note.target('settings', null)
    const { keys: requested = [] } = body
    refuse(new Map(requested.filter((key) => !isSettingKey(key)).map((key) => [key, invalidMessage(key)])))
    const keys = keysToReset(body)
    const changed = await changeSettings(context, { values: defaultValues(keys), isReset: true }, references)
    return ok(changeAnswer(context.settings, changed, await warnOfNeeds(context, whyNoProbes, keys)))
  }
}

export function keysToReset({ keys = [] }: ResetSettingsBody): readonly SettingKey[] {
  return keys.length === 0 ? SETTING_KEYS : keys.filter(isSettingKey)
}

/** A problem may be in a part of a value. */
export function keyOf(field: string): string {
  return SETTING_KEYS.find((key) => field.startsWith(`${key}.`)) ?? field
}
