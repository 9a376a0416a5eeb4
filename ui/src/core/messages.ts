// Formats messages: {name}, and {count, plural, one {# tunnel} other {# tunnels}}.
export type Values = Readonly<Record<string, string | number>>

export interface FormatOptions {
  readonly language: string
  /** Formats a number. */
  readonly number: (value: number) => string
  /** Isolates the direction of a text value, such as an address. */
  readonly isolate: (text: string) => string
}

/** LEFT-TO-RIGHT ISOLATE (Unicode Standard Annex 9), for names, addresses and keys in right-to-left text. */
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

/** Plural forms by category. */
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
