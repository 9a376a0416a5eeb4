// The settings that decide who may come in, or for how long the audit log shows what was done: a change of them takes a
// password given just before (decisions.md, A24).
import { isDeepStrictEqual } from 'node:util'
import type { SettingsReader } from '../../platform/settings.ts'
import { SETTING_KEYS, type SettingKey, type SettingValues } from './definitions.ts'

export function isGuarded(key: SettingKey): boolean {
  return key.startsWith('security.') || key === 'system.audit_retention_days'
}

export function changesGuarded(settings: SettingsReader, values: Partial<SettingValues>): boolean {
  return SETTING_KEYS.some(
    (key) => isGuarded(key) && Object.hasOwn(values, key) && !isDeepStrictEqual(values[key], settings.get(key)),
  )
}
