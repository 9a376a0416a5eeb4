// Translations: one file per language and area, loaded with the page that needs it.
import { formatMessage, isolate, type FormatOptions, type Values } from '@panel/shared/messages/format.ts'
import type { Language } from './format.ts'
import type { Area, Key } from '../locales/keys.ts'
import { render, type LabelOf, type Mark, type ApiMessage } from './message.ts'

type Catalogue = Readonly<Record<string, string>>
type Catalogues = (name: string) => Promise<Catalogue>

/** A language has a list of its own areas: that of all languages would be a part of every first load. */
const AREAS = import.meta.glob<Catalogues>('../locales/*/areas.ts', { import: 'default' })
/** What the API says, by the part of an id before its dot. */
const SENTENCES = import.meta.glob<Catalogues>('../locales/*/messages.ts', { import: 'default' })
/** Beginnings of keys under which the page has labels for fields, in any form. */
const FIELD_LABELS = ['tunnel_new.option.', 'routes.field.', 'settings.key.', 'reconcile.field.'] as const

class Messages {
  #texts = $state.raw<Catalogue>({})
  #areas = new Set<Area>(['core'])
  #language: Language = 'en'
  /** The groups of sentences that an answer has needed. */
  #sentences: Catalogue = $state.raw({})
  #groups = new Map<string, Promise<void>>()
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
    this.#groups = new Map()
    this.#sentences = {}
  }

  /** What an answer of the API says, with the form's words for fields. */
  readonly say = (message: ApiMessage, label: LabelOf = () => undefined, mark?: Mark): string => {
    void this.ready(message)
    return render(
      message,
      this.#sentences,
      { ...this.#options, instant: this.instant, mark, comma: this.t('core.comma') },
      (field) => label(field) ?? this.#fieldLabel(field),
    )
  }

  /** Whether it stays in English, whatever the language is. */
  readonly isEnglish = ({ message_id = '' }: ApiMessage): boolean => !Object.hasOwn(this.#sentences, message_id)

  #fieldLabel(field: string): string | undefined {
    const key = FIELD_LABELS.map((prefix) => prefix + field).find((one) => this.has(one))
    return key === undefined ? undefined : this.find(key, field)
  }

  /** Resolves when `say` has the operator's language, or it could not be loaded. */
  readonly ready = (message: ApiMessage): Promise<unknown> =>
    Promise.all(groupsOf(message).map((group) => this.#groups.get(group) ?? this.#loadGroup(group, this.#groups)))

  #loadGroup(group: string, groups: Map<string, Promise<void>>): Promise<void> {
    const loading = readSentences(this.#language, group).then(
      (texts) => {
        if (groups === this.#groups) this.#sentences = { ...this.#sentences, ...texts }
      },
      // While the panel is away the English text of the answer stands, and the next sentence tries again.
      () => void groups.delete(group),
    )
    groups.set(group, loading)
    return loading
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

const read = async (language: Language, areas: readonly Area[]): Promise<Catalogue> => {
  const area = await AREAS[`../locales/${language}/areas.ts`]?.()
  return Object.assign({}, ...(await Promise.all(areas.map((name) => area?.(name))))) as Catalogue
}

const readSentences = async (language: Language, group: string): Promise<Catalogue> =>
  (await SENTENCES[`../locales/${language}/messages.ts`]?.())?.(group) ?? {}

/** The groups of a sentence and of those in it. */
const groupsOf = ({ message_id = '', params = {} }: ApiMessage): string[] =>
  [
    message_id.split('.')[0] ?? '',
    ...Object.values(params).flatMap((value) => (typeof value === 'object' ? [value].flat().flatMap(groupsOf) : [])),
  ].filter((group) => group !== '')

export const messages = new Messages()
export const { t, say } = messages
