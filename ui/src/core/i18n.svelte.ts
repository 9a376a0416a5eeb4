// Translations: one file per language and area, loaded with the page that needs it.
import { formatMessage, isolate, type Values } from './messages.ts'
import type { Language } from './format.ts'
import type { Area, Key } from '../locales/keys.ts'

type Catalogue = Readonly<Record<string, string>>

const FILES = import.meta.glob<Catalogue>('../locales/*/*.json', { import: 'default' })

class Messages {
  #texts = $state.raw<Catalogue>({})
  #areas = new Set<Area>(['core'])
  #language: Language = 'en'
  /** Number format, set by the display settings. */
  number: (value: number) => string = String

  /** Reloads all loaded areas in another language. */
  async use(language: Language): Promise<void> {
    if (language === 'fa') await import('../styles/fa.css')
    const texts = await read(language, [...this.#areas])
    this.#language = language
    this.#texts = texts
  }

  async load(areas: readonly Area[]): Promise<void> {
    const missing = areas.filter((area) => !this.#areas.has(area))
    if (missing.length === 0) return
    const texts = await read(this.#language, missing)
    for (const area of missing) this.#areas.add(area)
    this.#texts = { ...this.#texts, ...texts }
  }

  has(key: string): key is Key {
    return Object.hasOwn(this.#texts, key)
  }

  /** The message, or the fallback where the loaded areas have none. */
  find(key: string, fallback: string): string {
    return this.has(key) ? this.t(key) : fallback
  }

  readonly t = (key: Key, values: Values = {}): string => {
    const text = this.#texts[key]
    if (text === undefined) throw new Error(`there are no words for ${key} here: does the route name its area?`)
    return formatMessage(text, values, {
      language: this.#language,
      number: this.number,
      isolate: this.#language === 'fa' ? isolate : (text) => text,
    })
  }
}

const read = async (language: Language, areas: readonly Area[]): Promise<Catalogue> =>
  Object.assign(
    {},
    ...(await Promise.all(areas.map((area) => FILES[`../locales/${language}/${area}.json`]?.()))),
  ) as Catalogue

export const messages = new Messages()
export const { t } = messages
