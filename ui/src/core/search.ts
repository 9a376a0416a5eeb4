// The language of the search boxes: plain words, `name:value` that must hold and `-name:value` that must not; it lives in the address as `q`.
export interface Term {
  readonly isNot: boolean
  /** "" is a plain word. */
  readonly name: string
  readonly value: string
}

/** A value with blanks stands in quotes. */
export const parseTerms = (text: string): Term[] =>
  [...text.matchAll(/(-?)(?:([a-z_]+):)?(?:"([^"]*)"|(\S+))/gi)].map(([, minus, name = '', quoted, plain = '']) => {
    const isUnfinished = name === '' && /^[a-z_]+:$/i.test(plain)
    return {
      isNot: minus === '-',
      name: name.toLowerCase(),
      value: isUnfinished ? '' : (quoted ?? plain).toLowerCase(),
    }
  })

/** What an item answers for: its text for plain words, and for each name the values that it has. */
export interface Searchable {
  readonly text: string
  readonly values: Readonly<Record<string, readonly string[]>>
}

/** Several values of one name are "or", everything else is "and"; an unfinished `name:` says nothing yet. */
export const matches = (terms: readonly Term[], { text, values }: Searchable): boolean => {
  const holds = ({ name, value }: Term): boolean =>
    name === '' || !(name in values)
      ? text.toLowerCase().includes(name === '' ? value : `${name}:${value}`)
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

/** The same text with the term put in, or taken out where it is there. */
export const toggleTerm = (text: string, term: string): string => {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  return (parts.includes(term) ? parts.filter((part) => part !== term) : [...parts, term]).join(' ')
}
