// What a client may send about settings besides their values, and what it is answered (interface.md, Settings; decisions.md, section 8).
import { strict, Type, type Static } from '../model/schema.ts'

export const SETTING_TYPES = ['bool', 'int', 'float', 'string', 'enum', 'json', 'lookup'] as const
export type SettingType = (typeof SETTING_TYPES)[number]

export const SETTING_CATEGORIES = ['tunnel', 'addressing', 'keepalive', 'monitor', 'diagnostics', 'metrics', 'routes', 'display', 'security', 'system'] as const
export type SettingCategory = (typeof SETTING_CATEGORIES)[number]

/** What a value must be. Null, "" and [] where the type has no such bound. */
export interface SettingConstraints {
  min: number | null
  max: number | null
  /** Of type enum. */
  enum_values: string[]
  /** The lookup whose ids the value is one of. */
  lookup_table: string
  /** Of type lookup. */
  options: { value: number; label: string }[]
  /** Of type json, as a person writes it down. */
  json_shape: string
  pattern: string
  nullable: boolean
}

export interface SettingEntry {
  key: string
  type: SettingType
  category: SettingCategory
  description: string
  default: unknown
  constraints: SettingConstraints
  /** Whether a change waits for a restart of the panel. */
  restart_required: boolean
  unit: string
  value: unknown
}

export interface SettingsSchemaAnswer {
  settings: SettingEntry[]
  categories: SettingCategory[]
}

export interface SettingsAnswer {
  settings: Record<string, unknown>
}

export interface ChangeSettingsAnswer extends SettingsAnswer {
  /** Keys whose value is another one than before. */
  changed: string[]
  restart_required: string[]
}

export const ResetSettingsBody = strict({
  keys: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 1000,
      'x-message': 'keys must be a list of keys of settings.',
      description: 'Settings to put back to their defaults. Absent or empty: all of them.',
    }),
  ),
})
export type ResetSettingsBody = Static<typeof ResetSettingsBody>
