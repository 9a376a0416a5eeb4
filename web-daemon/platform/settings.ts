// How the rest of the panel reads settings: at every use, so that a change takes effect at once.

/** The type of every setting by its key; features/settings/definitions.ts adds them by declaration merging. */
export interface SettingTypes {}

export interface SettingsReader {
  readonly get: <K extends keyof SettingTypes>(key: K) => SettingTypes[K]
}

/** For commands: after they have written settings to the store, they reload them. */
export interface SettingsHolder extends SettingsReader {
  /** Reads the store, and publishes `settings.changed` if a value differs from before. */
  readonly reload: () => Promise<void>
}
