// The settings as they are sent (reference.md, Settings).
import {
  SETTING_CATEGORIES,
  type ChangeSettingsAnswer,
  type SettingConstraints,
  type SettingEntry,
  type SettingsAnswer,
  type SettingsSchemaAnswer,
} from '@panel/shared/api/settings.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { SETTING_KEYS, SETTINGS, type SettingKey } from './definitions.ts'
import { warnOfNeeds } from './needs.ts'
import type { SettingsReader } from '../../platform/settings.ts'

export async function listSettings({ settings }: ReadContext): Promise<Answer<SettingsAnswer>> {
  const answer: SettingsAnswer = { settings: allOf(settings) }
  return ok(answer)
}

export function showSchema(whyNoProbes: () => Message | null) {
  return async (context: ReadContext): Promise<Answer<SettingsSchemaAnswer>> => {
    const entries = SETTING_KEYS.map((key) => entryOf(key, context.settings))
    return ok({
      settings: entries,
      categories: [...new Set(entries.map(({ category }) => category))],
      warnings: await warnOfNeeds(context, whyNoProbes),
    })
  }
}

/** No setting needs a restart: settings are read at every use, or their change is subscribed to. */
export function changeAnswer(
  settings: SettingsReader,
  changed: readonly SettingKey[],
  warnings: readonly Warning[],
): ChangeSettingsAnswer {
  return { settings: allOf(settings), changed: [...changed], restart_required: [], warnings: [...warnings] }
}

const allOf = (settings: SettingsReader): Record<string, unknown> =>
  Object.fromEntries(SETTING_KEYS.map((key) => [key, settings.get(key)]))

const NO_CONSTRAINTS: SettingConstraints = {
  min: null,
  max: null,
  enum_values: [],
  lookup_table: '',
  options: [],
  json_shape: '',
  pattern: '',
  nullable: false,
}

function entryOf(key: SettingKey, settings: SettingsReader): SettingEntry {
  const { type, description, default: byDefault, constraints, unit } = SETTINGS[key]
  const category = SETTING_CATEGORIES.find((one) => key.startsWith(`${one}.`))
  if (!category) throw new Error(`${key} is of no category`)
  return {
    key,
    type,
    category,
    description,
    default: byDefault,
    constraints: { ...NO_CONSTRAINTS, ...constraints },
    restart_required: false,
    unit,
    value: settings.get(key),
  }
}
