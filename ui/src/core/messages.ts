// Fills values into a sentence: {name}, and {count, plural, one {# tunnel} other {# tunnels}} with the plural forms of the language.
export type Values = Readonly<Record<string, string | number>>

export interface FormatOptions {
  readonly language: string
  /** How a number is written. */
  readonly number: (value: number) => string
  /** Around a value that is text, so that an address keeps its own direction inside a sentence of another. */
  readonly isolate: (text: string) => string
}

/** LEFT-TO-RIGHT ISOLATE and its end (Unicode Standard Annex 9): how names, addresses and keys stand in a language of the other direction. */
export const isolate = (text: string): string => `\u2066${text}\u2069`

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
  const [, name = text, forms] = /^\s*(\w+)\s*,\s*plural\s*,(.*)$/s.exec(text) ?? []
  const value = values[name.trim()]
  if (value === undefined) throw new Error(`a sentence wants {${name}}, which was not given`)
  if (forms === undefined) return typeof value === 'number' ? options.number(value) : options.isolate(value)
  const count = Number(value)
  const chosen = pluralForms(forms)
  const form =
    chosen[`=${count}`] ?? chosen[new Intl.PluralRules(options.language).select(count)] ?? chosen['other'] ?? ''
  return formatMessage(form.replaceAll('#', options.number(count)), values, options)
}

/** The forms of a plural by their names. */
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

/** The names of the placeholders of a sentence, those inside plurals too. */
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
