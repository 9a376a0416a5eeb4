// PUT /settings and POST /settings/reset (interface.md, Settings).
import type { ResetSettingsBody, ChangeSettingsAnswer } from '@panel/shared/api/settings.ts'
import type { CommandContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { changeSettings, defaultsOf, refusalOf, refuse, type References } from './change.ts'
import { isSettingKey, SETTING_KEYS, type SettingValues } from './definitions.ts'
import { changeAnswer } from './view.ts'

export const updateSettings =
  (references: References) =>
  async (
    context: CommandContext,
    { body, problems }: Incoming<Partial<SettingValues>>,
  ): Promise<Answer<ChangeSettingsAnswer>> => {
    context.note.target('settings', null)
    refuse(new Map(problems.all.map(({ field }) => keyOf(field)).map((key) => [key, refusalOf(key)])))
    if (Object.keys(body).length === 0)
      throw new Refusal('INVALID_REQUEST', 'There is nothing to change: give at least one setting with its value')
    return ok(changeAnswer(context.settings, await changeSettings(context, { values: body }, references)))
  }

export const resetSettings =
  (references: References) =>
  async (
    context: CommandContext,
    { body: { keys: asked = [] } }: Incoming<ResetSettingsBody>,
  ): Promise<Answer<ChangeSettingsAnswer>> => {
    context.note.target('settings', null)
    refuse(new Map(asked.filter((key) => !isSettingKey(key)).map((key) => [key, refusalOf(key)])))
    const keys = asked.length === 0 ? SETTING_KEYS : asked.filter(isSettingKey)
    return ok(
      changeAnswer(
        context.settings,
        await changeSettings(context, { values: defaultsOf(keys), isReset: true }, references),
      ),
    )
  }

/** A problem may be in a part of a value. */
export const keyOf = (field: string): string => SETTING_KEYS.find((key) => field.startsWith(`${key}.`)) ?? field
