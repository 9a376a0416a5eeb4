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
      value: isUnfinished ? '' : (quoted ?? plain).toLowerCase(),
    }
  })

/** What an item matches: text for plain words, and values by name. */
export interface Searchable {
  readonly text: string
  readonly values: Readonly<Record<string, readonly string[]>>
}

/** Values of one name are alternatives; all else must match. An unfinished `name:` is ignored. */
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

/** Adds the term, or removes it if present. */
export const toggleTerm = (text: string, term: string): string => {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  return (parts.includes(term) ? parts.filter((part) => part !== term) : [...parts, term]).join(' ')
}
