// How the rest of the panel reads settings: at the moment it needs one, so that a change acts at once.

/** The type of every setting by its key; features/settings/definitions.ts adds them by declaration merging. */
export interface SettingTypes {}

export interface SettingsReader {
  readonly get: <K extends keyof SettingTypes>(key: K) => SettingTypes[K]
}

/** Of a command: after it has written settings to the store, it has them read again. */
export interface SettingsHolder extends SettingsReader {
  /** Reads the store, and publishes `settings.changed` if a value differs from before. */
  readonly reload: () => Promise<void>
}
