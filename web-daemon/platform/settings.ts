// How the rest of the panel reads settings: at the moment it needs one, so that a change acts at once.
import type { SettingKey, SettingValue } from '../features/settings/definitions.ts'

export interface SettingsReader {
  readonly get: <K extends SettingKey>(key: K) => SettingValue<K>
}

/** Of a command: after it has written settings to the store, it has them read again. */
export interface SettingsHolder extends SettingsReader {
  /** Reads the store, and publishes what is another value than before. */
  readonly reload: () => Promise<void>
}
