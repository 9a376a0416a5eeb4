// Translations: one file per language and area, loaded with the page that needs it.
import { formatMessage, isolate, type FormatOptions, type Values } from '@panel/shared/messages/format.ts'
import type { Language } from './format.ts'
import type { Area, Key } from '../locales/keys.ts'
import { render, type LabelOf, type Mark, type Told } from './said.ts'

type Catalogue = Readonly<Record<string, string>>

const FILES = import.meta.glob<Catalogue>('../locales/*/*.json', { import: 'default' })
/** What the API says; in English it is the daemon's own, but where that speaks to clients of the API. */
const SAID = import.meta.glob<Catalogue>('../locales/*/messages.ts', { import: 'default' })
/** Where the page calls a field something, whatever form it stands in. */
const FIELD_LABELS = ['tunnel_new.option.', 'routes.field.', 'settings.key.', 'reconcile.field.'] as const

class Messages {
  #texts = $state.raw<Catalogue>({})
  #areas = new Set<Area>(['core'])
  #language: Language = 'en'
  /** Empty until the first answer that has something to say. */
  #said: Catalogue = $state.raw({})
  #saidIn: Language | null = null
  #saidLoading = Promise.resolve()
  /** Number format, set by the display settings. */
  number: (value: number) => string = String
  /** Likewise of an instant. */
  instant: (at: string) => string = String

  /** Reloads all loaded areas in another language. */
  async use(language: Language): Promise<void> {
    if (language === 'fa') await import('../styles/fa.css')
    const texts = await read(language, [...this.#areas])
    this.#language = language
    this.#texts = texts
    if (this.#saidIn !== null) void this.#loadSaid()
  }

  /** What an answer of the API says, with the form's words for fields. */
  readonly say = (told: Told, label: LabelOf = () => undefined, mark?: Mark): string => {
    if ((told.message_id ?? '') !== '' && this.#saidIn !== this.#language) void this.#loadSaid()
    return render(
      told,
      this.#said,
      { ...this.#options, instant: this.instant, mark },
      (field) => label(field) ?? this.#fieldLabel(field),
    )
  }

  /** Whether it stays in English, whatever the language is. */
  readonly isEnglish = ({ message_id = '' }: Told): boolean => !Object.hasOwn(this.#said, message_id)

  #fieldLabel(field: string): string | undefined {
    const key = FIELD_LABELS.map((prefix) => prefix + field).find((one) => this.has(one))
    return key === undefined ? undefined : this.find(key, field)
  }

  /** Resolves when `say` has the operator's language, or it could not be loaded. */
  readonly readySaid = (): Promise<void> => (this.#saidIn === this.#language ? this.#saidLoading : this.#loadSaid())

  #loadSaid(): Promise<void> {
    const language = this.#language
    this.#saidIn = language
    return (this.#saidLoading = readSaid(language).then(
      (texts) => {
        if (language === this.#language) this.#said = texts
      },
      // While the panel is away the English text of the answer stands, and the next sentence tries again.
      () => {
        if (this.#saidIn === language) this.#saidIn = null
      },
    ))
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
    return formatMessage(text, values, this.#options)
  }

  get #options(): FormatOptions {
    return {
      language: this.#language,
      number: this.number,
      isolate: this.#language === 'fa' ? isolate : (text) => text,
    }
  }
}

const read = async (language: Language, areas: readonly Area[]): Promise<Catalogue> =>
  Object.assign(
    {},
    ...(await Promise.all(areas.map((area) => FILES[`../locales/${language}/${area}.json`]?.()))),
  ) as Catalogue

const readSaid = async (language: Language): Promise<Catalogue> => {
  const english = language === 'en' ? (await import('@panel/shared/messages/catalogue.ts')).CATALOGUE : {}
  return { ...english, ...(await SAID[`../locales/${language}/messages.ts`]?.()) }
}

export const messages = new Messages()
export const { t, say } = messages
