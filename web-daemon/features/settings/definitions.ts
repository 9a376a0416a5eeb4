// The table of all settings: schema, defaults, checks and types come from it (decisions.md, section 8). Its order is
// the order of the categories in the API.
import { NotPossible } from '@panel/shared/api/settings.ts'
import { list, shape, Text, described } from '@panel/shared/api/base/shapes.ts'
import { strict, Type, type TObject, type TSchema } from '@panel/shared/schema.ts'
import { ADDRESSING } from './definitions/addressing.ts'
import { BACKUP } from './definitions/backup.ts'
import { DIAGNOSTICS } from './definitions/diagnostics.ts'
import { DISPLAY } from './definitions/display.ts'
import { KEEPALIVE } from './definitions/keepalive.ts'
import { METRICS } from './definitions/metrics.ts'
import { MONITOR } from './definitions/monitor.ts'
import { ROUTES } from './definitions/routes.ts'
import { SECURITY } from './definitions/security.ts'
import { SYSTEM } from './definitions/system.ts'
import { TUNNEL } from './definitions/tunnel.ts'
import { WEBHOOKS } from './definitions/webhooks.ts'
import type { Definition } from './kinds.ts'

export const SETTINGS = {
  ...TUNNEL,
  ...ADDRESSING,
  ...KEEPALIVE,
  ...MONITOR,
  ...DIAGNOSTICS,
  ...METRICS,
  ...ROUTES,
  ...DISPLAY,
  ...SECURITY,
  ...SYSTEM,
  ...WEBHOOKS,
  ...BACKUP,
}

export type SettingKey = keyof typeof SETTINGS
export type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K] extends Definition<infer T> ? T : never
export type SettingValues = { readonly [K in SettingKey]: SettingValue<K> }

declare module '../../platform/settings.ts' {
  interface SettingTypes extends SettingValues {}
}

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[]

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(SETTINGS, text)
}

function schemaOf(key: SettingKey): TSchema {
  return described(SETTINGS[key].schema, SETTINGS[key].description)
}

export const DEFAULTS = Object.fromEntries(
  SETTING_KEYS.map((key) => [key, SETTINGS[key].default]),
) as unknown as SettingValues

/** Every setting with its value. */
export const AllSettings = shape('Settings', {
  settings: strict(Object.fromEntries(SETTING_KEYS.map((key) => [key, schemaOf(key)]))),
})
export const ChangedSettings = shape('SettingsChanged', {
  ...AllSettings.properties,
  changed: described(list(Text), 'Keys whose value is another one than before.'),
  restart_required: list(Text),
  warnings: NotPossible,
})

/** Some settings with their values. */
export const SettingsBody: TObject = shape(
  'SettingsBody',
  Object.fromEntries(SETTING_KEYS.map((key) => [key, Type.Optional(schemaOf(key))])),
)
