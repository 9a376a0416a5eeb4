// The current settings in memory: read at every use, and reloaded from the store after every write.
import { isDeepStrictEqual } from 'node:util'
import type { ReadDb } from '../../platform/context.ts'
import type { Publish } from '../../platform/events/bus.ts'
import { DEFAULTS, SETTING_KEYS, type SettingKey, type SettingValues } from './definitions.ts'
import type { SettingsHolder } from '../../platform/settings.ts'
import { storedSettings } from './store.ts'

export class Settings implements SettingsHolder {
  readonly #db: ReadDb
  readonly #publish: Publish
  #values: SettingValues
  #reading: Promise<void> = Promise.resolve()

  private constructor(db: ReadDb, publish: Publish, values: SettingValues) {
    this.#db = db
    this.#publish = publish
    this.#values = values
  }

  static async open(db: ReadDb, publish: Publish): Promise<Settings> {
    return new Settings(db, publish, await valuesIn(db))
  }

  readonly get = <K extends SettingKey>(key: K): SettingValues[K] => this.#values[key]

  /** Reloads are sequential, so that the newest one wins. */
  readonly reload = (): Promise<void> => {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#reload())
    return this.#reading
  }

  async #reload(): Promise<void> {
    const before = this.#values
    this.#values = await valuesIn(this.#db)
    const keys = changedKeys(before, this.#values)
    if (keys.length > 0) this.#publish('settings.changed', { keys })
  }
}

export async function valuesIn(db: ReadDb): Promise<SettingValues> {
  return { ...DEFAULTS, ...(await storedSettings(db)) }
}

export function changedKeys(before: SettingValues, after: SettingValues): SettingKey[] {
  return SETTING_KEYS.filter((key) => !isDeepStrictEqual(before[key], after[key]))
}
