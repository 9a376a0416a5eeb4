// What a client may send about settings besides their values, and what it is answered (reference.md, Settings;
// decisions.md, section 8).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { Warning } from './base/errors.ts'
import { Flag, list, mapOf, oneOf, Sentence, shape, Text, described, Value, Whole } from './base/shapes.ts'

export const SETTING_TYPES = ['bool', 'int', 'float', 'string', 'enum', 'json', 'lookup'] as const
export type SettingType = (typeof SETTING_TYPES)[number]

export const SETTING_CATEGORIES = [
  'tunnel',
  'addressing',
  'keepalive',
  'monitor',
  'diagnostics',
  'metrics',
  'routes',
  'display',
  'security',
  'system',
  'webhooks',
  'backup',
] as const
export type SettingCategory = (typeof SETTING_CATEGORIES)[number]

/** What a value must be. Null, "" and [] where the type has no such bound. */
export const SettingConstraints = strict({
  min: nullable(Type.Number()),
  max: nullable(Type.Number()),
  enum_values: described(list(Text), 'Of type enum.'),
  lookup_table: described(Text, 'The lookup whose ids the value is one of.'),
  options: described(list(strict({ value: Whole, label: Text })), 'Of type lookup.'),
  json_shape: described(Text, 'Of type json, in the form that a person writes.'),
  pattern: Text,
  nullable: Flag,
})
export type SettingConstraints = Static<typeof SettingConstraints>

export const SettingEntry = shape('Setting', {
  key: Sentence,
  type: oneOf(SETTING_TYPES),
  category: oneOf(SETTING_CATEGORIES),
  description: Sentence,
  default: Value,
  constraints: SettingConstraints,
  restart_required: described(Flag, 'Whether a change waits for a restart of the panel.'),
  unit: Text,
  value: Value,
})
export type SettingEntry = Static<typeof SettingEntry>

/** Empty where the root helper is away, since what the host can do is not known then. */
export const NotPossible = described(list(Warning), 'Settings that this host cannot carry out; `field` is the key.')

export const SettingsSchemaAnswer = shape('SettingsSchema', {
  settings: list(SettingEntry),
  categories: list(oneOf(SETTING_CATEGORIES)),
  warnings: NotPossible,
})
export type SettingsSchemaAnswer = Static<typeof SettingsSchemaAnswer>

/**
 * Values by the keys of settings. The web daemon knows what each may be, serves by that, and answers it at GET
 * /settings/schema.
 */
export const SettingsBody = mapOf(Value)
export type SettingsBody = Static<typeof SettingsBody>

export const SettingsAnswer = shape('Settings', { settings: mapOf(Value) })
export type SettingsAnswer = Static<typeof SettingsAnswer>

export const ChangeSettingsAnswer = shape('SettingsChanged', {
  ...SettingsAnswer.properties,
  changed: described(list(Text), 'Keys whose value is another one than before.'),
  restart_required: list(Text),
  warnings: NotPossible,
})
export type ChangeSettingsAnswer = Static<typeof ChangeSettingsAnswer>

export const ResetSettingsBody = shape('ResetSettingsBody', {
  keys: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 1000,
      'x-message': message('input.setting_keys', { field: 'keys' }),
      description: 'Settings to put back to their defaults. Absent or empty: all of them.',
    }),
  ),
})
export type ResetSettingsBody = Static<typeof ResetSettingsBody>
