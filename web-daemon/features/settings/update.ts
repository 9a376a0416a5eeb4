// PUT /settings and POST /settings/reset (reference.md, Settings).
import type { ResetSettingsBody, ChangeSettingsAnswer } from '@panel/shared/api/settings.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { CommandContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { changeSettings, defaultValues, invalidMessage, refuse, type References } from './change.ts'
import { isSettingKey, SETTING_KEYS, type SettingValues } from './definitions.ts'
import { changeAnswer } from './view.ts'

export function updateSettings(references: References) {
  return async (
    context: CommandContext,
    { body, problems }: Incoming<Partial<SettingValues>>,
  ): Promise<Answer<ChangeSettingsAnswer>> => {
    context.note.target('settings', null)
    refuse(new Map(problems.all.map(({ field }) => keyOf(field)).map((key) => [key, invalidMessage(key)])))
    if (Object.keys(body).length === 0) throw new Refusal('INVALID_REQUEST', message('panel.nothing_to_change'))
    return ok(changeAnswer(context.settings, await changeSettings(context, { values: body }, references)))
  }
}

export function resetSettings(references: References) {
  return async (
    context: CommandContext,
    { body: { keys: asked = [] } }: Incoming<ResetSettingsBody>,
  ): Promise<Answer<ChangeSettingsAnswer>> => {
    context.note.target('settings', null)
    refuse(new Map(asked.filter((key) => !isSettingKey(key)).map((key) => [key, invalidMessage(key)])))
    const keys = asked.length === 0 ? SETTING_KEYS : asked.filter(isSettingKey)
    return ok(
      changeAnswer(
        context.settings,
        await changeSettings(context, { values: defaultValues(keys), isReset: true }, references),
      ),
    )
  }
}

/** A problem may be in a part of a value. */
export function keyOf(field: string): string {
  return SETTING_KEYS.find((key) => field.startsWith(`${key}.`)) ?? field
}
