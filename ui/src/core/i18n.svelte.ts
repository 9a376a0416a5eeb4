// The words of the page in the operator's language: one file a language and area, fetched with the page that needs it; `t` fills them in.
import { fill, isolate, type Values } from './messages.ts'
import type { Language } from './format.ts'
import type { Area, Key } from '../locales/keys.ts'

type Sentences = Readonly<Record<string, string>>

const FILES = import.meta.glob<Sentences>('../locales/*/*.json', { import: 'default' })

class Words {
  #sentences = $state.raw<Sentences>({})
  #areas = new Set<Area>(['core'])
  #language: Language = 'en'
  /** Set by whoever knows how the operator wants digits. */
  number: (value: number) => string = String

  /** Every area that was needed so far, in another language. */
  async use(language: Language): Promise<void> {
    if (language === 'fa') await import('../styles/fa.css')
    const sentences = await read(language, [...this.#areas])
    this.#language = language
    this.#sentences = sentences
  }

  async need(areas: readonly Area[]): Promise<void> {
    const missing = areas.filter((area) => !this.#areas.has(area))
    if (missing.length === 0) return
    const sentences = await read(this.#language, missing)
    for (const area of missing) this.#areas.add(area)
    this.#sentences = { ...this.#sentences, ...sentences }
  }

  has(key: string): key is Key {
    return Object.hasOwn(this.#sentences, key)
  }

  readonly t = (key: Key, values: Values = {}): string => {
    const sentence = this.#sentences[key]
    if (sentence === undefined) throw new Error(`there are no words for ${key} here: does the route name its area?`)
    return fill(sentence, values, {
      language: this.#language,
      number: this.number,
      isolate: this.#language === 'fa' ? isolate : (text) => text,
    })
  }
}

const read = async (language: Language, areas: readonly Area[]): Promise<Sentences> =>
  Object.assign(
    {},
    ...(await Promise.all(areas.map((area) => FILES[`../locales/${language}/${area}.json`]?.()))),
  ) as Sentences

export const words = new Words()
export const { t } = words
