// Search syntax: plain words, `name:value` and `-name:value`; kept in the address as `q`.
export interface Term {
  readonly isNot: boolean
  /** "" is a plain word. */
  readonly name: string
  readonly value: string
}

/** A value with spaces is quoted. */
export const parseTerms = (text: string): Term[] =>
  [...text.matchAll(/(-?)(?:([a-z_]+):)?(?:"([^"]*)"|(\S+))/gi)].map(([, minus, name = '', quoted, plain = '']) => {
    const isUnfinished = name === '' && /^[a-z_]+:$/i.test(plain)
    return {
      isNot: minus === '-',
      name: name.toLowerCase(),
      value: isUnfinished ? '' : folded(quoted ?? plain),
    }
  })

/** What an item matches: text for plain words, and values by name. */
export interface Searchable {
  readonly text: string
  readonly values: Readonly<Record<string, readonly string[]>>
}

/** The text in the form in which it is compared: the hyphen at which no line breaks cannot be typed. */
export const folded = (text: string): string => text.toLowerCase().replaceAll('\u2011', '-')

/** Values of one name are alternatives; all else must match. An unfinished `name:` is ignored. */
export const matches = (terms: readonly Term[], { text, values }: Searchable): boolean => {
  const holds = ({ name, value }: Term): boolean =>
    name === '' || !(name in values)
      ? folded(text).includes(name === '' ? value : `${name}:${value}`)
      : (values[name] ?? []).some((own) => own.toLowerCase() === value)
  const wanted = terms.filter(({ value, isNot }) => value !== '' && !isNot)
  const groups = new Map<string, Term[]>()
  wanted.forEach((term, at) => {
    const group = term.name === '' ? `word ${at}` : term.name
    groups.set(group, [...(groups.get(group) ?? []), term])
  })
  return (
    [...groups.values()].every((group) => group.some(holds)) &&
    terms.filter(({ value, isNot }) => value !== '' && isNot).every((term) => !holds(term))
  )
}

/** Adds the term, or removes it if present. */
export const toggleTerm = (text: string, term: string): string => {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  return (parts.includes(term) ? parts.filter((part) => part !== term) : [...parts, term]).join(' ')
}

/** The filters of a list with their values; a function gives the values of those that any text may fit. */
export type Vocabulary = Readonly<Record<string, readonly string[] | (() => readonly string[])>>

/** A filter that can match nothing: with the names, or the values, that there are. */
export interface Fault {
  readonly kind: 'name' | 'value'
  readonly name: string
  readonly value: string
  readonly options: readonly string[]
}

/** Letters and colons may be an address too. */
const isAddress = ({ name, value }: Term): boolean => /^[0-9a-f]+$/.test(name) && /^[0-9a-f:./]*$/.test(value)

export const faultsIn = (terms: readonly Term[], vocabulary: Vocabulary): Fault[] =>
  terms.flatMap((term): Fault[] => {
    const { name, value } = term
    if (name === '' || value === '' || isAddress(term)) return []
    const values = vocabulary[name]
    if (values === undefined) return [{ kind: 'name', name, value, options: Object.keys(vocabulary) }]
    const isWrong = typeof values !== 'function' && !values.some((one) => one.toLowerCase() === value)
    return isWrong ? [{ kind: 'value', name, value, options: values }] : []
  })

export interface Completion {
  /** The word that a suggestion replaces. */
  readonly from: number
  readonly to: number
  readonly options: readonly string[]
}

const MOST = 8

/** For the word at the caret: the names of filters, or the values of one. */
export const complete = (text: string, caret: number, vocabulary: Vocabulary): Completion => {
  const from = text.slice(0, caret).search(/\S*$/)
  const to = caret + text.slice(caret).search(/\s|$/)
  const word = text.slice(from, caret)
  const [, minus = '', name, rest = ''] = /^(-?)(?:([a-z_]+):)?(.*)$/i.exec(word) ?? []
  const values = name === undefined ? undefined : vocabulary[name.toLowerCase()]
  const all =
    name === undefined
      ? rest === ''
        ? []
        : Object.keys(vocabulary).map((one) => `${one}:`)
      : (typeof values === 'function' ? values() : (values ?? [])).map((one) => `${name}:${quoted(one)}`)
  const typed = word.slice(minus.length).toLowerCase()
  const options = [...new Set(all)].filter((one) => one.toLowerCase().startsWith(typed) && one.toLowerCase() !== typed)
  return { from, to, options: options.slice(0, MOST).map((one) => minus + one) }
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value)
