// Settings that nobody stored: the defaults, but for what a test says. Unlike the real ones they take any value of the
// right type.
import { DEFAULTS, type SettingValues } from '@panel/web-daemon/features/settings/definitions.ts'
import type { SettingsReader } from '@panel/web-daemon/platform/settings.ts'

export const settingsWith = (values: Partial<SettingValues> = {}): SettingsReader => {
  const all: SettingValues = { ...DEFAULTS, ...values }
  return { get: (key) => all[key] }
}
