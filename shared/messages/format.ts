// Formats messages, in the part of ICU MessageFormat that the panel uses: {name}, {count, number},
// {count, plural, one {# tunnel} other {# tunnels}} and {family, select, ipv4 {…} other {…}}.
export type Values = Readonly<Record<string, string | number>>

export interface FormatOptions {
  readonly language: string
  /** Formats a number. */
  readonly number: (value: number) => string
  /** Isolates the direction of a text value, such as an address. */
  readonly isolate: (text: string) => string
}

/** A placeholder of the sentence has no value. */
export class MissingValueError extends Error {}

/** FIRST STRONG ISOLATE (Unicode Standard Annex 9): a name goes by its own script, an address from left to right. */
export const isolate = (text: string): string => `\u2068${text}\u2069`

export const formatMessage = (message: string, values: Values, options: FormatOptions): string => {
  let text = ''
  for (let at = 0; at < message.length;) {
    const open = message.indexOf('{', at)
    if (open < 0) return text + message.slice(at)
    const close = closingBrace(message, open)
    text += message.slice(at, open) + placeholder(message.slice(open + 1, close), values, options)
    at = close + 1
  }
  return text
}

const placeholder = (text: string, values: Values, options: FormatOptions): string => {
  const [, name = text, kind, forms = ''] = /^\s*(\w+)\s*,\s*(plural|select|number)\s*,?(.*)$/s.exec(text) ?? []
  const value = values[name.trim()]
  if (value === undefined) throw new MissingValueError(`a sentence wants {${name}}, which was not given`)
  if (kind === undefined) return typeof value === 'number' ? options.number(value) : options.isolate(value)
  if (kind === 'number') return options.number(asNumber(value))
  const chosen = pluralForms(forms)
  const form =
    (kind === 'select' ? chosen[bare(value)] : pluralForm(chosen, asNumber(value), options)) ?? chosen['other'] ?? ''
  return formatMessage(
    kind === 'select' ? form : form.replaceAll('#', options.number(asNumber(value))),
    values,
    options,
  )
}

/** What chooses a form may come as text that is isolated already. */
const bare = (value: string | number): string => String(value).replace(/[\u2068\u2069]/g, '')
const asNumber = (value: string | number): number => Number(bare(value))

const pluralForm = (forms: Record<string, string>, count: number, { language }: FormatOptions): string | undefined =>
  forms[`=${count}`] ?? forms[new Intl.PluralRules(language).select(count)]

/** What is quoted at the end of a sentence may bring a full stop of its own. */
export const withOneStop = (text: string): string => text.replace(/([.!?])\.$/, '$1')

/** The forms of a plural or select, by category. */
export const pluralForms = (text: string): Record<string, string> => {
  const forms: Record<string, string> = {}
  for (let at = 0; ;) {
    const open = text.indexOf('{', at)
    if (open < 0) return forms
    const close = closingBrace(text, open)
    forms[text.slice(at, open).trim()] = text.slice(open + 1, close)
    at = close + 1
  }
}

/** Placeholder names, including those inside plurals. */
export const placeholderNames = (message: string): string[] =>
  [...new Set([...message.matchAll(/\{\s*(\w+)\s*[,}]/g)].map((match) => String(match[1])))].sort()

const closingBrace = (text: string, open: number): number => {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at
  }
  throw new Error(`a brace is not closed in: ${text}`)
}
