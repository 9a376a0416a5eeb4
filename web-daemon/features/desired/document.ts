// From a file, which names things, to objects of the store, which have ids: what is there already is found by its name,
// what is new gets the next id beforehand, so that the rest of the file can refer to it.
import { WORDS, type DesiredDocument } from '@panel/shared/api/desired.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { titleKey } from '../../platform/db/search.ts'
import { routed } from '../backup/document.ts'
import type { RevisionObject } from '../revisions/items.ts'
import type { Item } from '../revisions/packed.ts'

export type Kind = Exclude<RevisionObject['kind'], 'setting'>

/** An object as the file would have it. */
export interface Wanted {
  readonly kind: Kind
  readonly target_key: string
  readonly title: string
  /** The fields as its requests name them, without what the file leaves out. */
  readonly given: Item
  /** The path of the item in the request. */
  readonly path: string
  /** Null: it is new. */
  readonly stored: RevisionObject | null
}

/** In the order in which one can refer to another. */
export const SECTIONS = [
  { kind: 'pool', section: 'pools', title: 'address_pool_title' },
  { kind: 'tunnel', section: 'tunnels', title: 'interface_name' },
  { kind: 'network', section: 'networks', title: 'network_title' },
  { kind: 'route', section: 'routes', title: 'route_rule_title' },
] as const satisfies readonly { kind: Kind; section: keyof DesiredDocument; title: string }[]

/** `next`: the first id of each kind that nothing has ever had. `problems` has those of the schema, whose items are holes. */
export function readDocument(
  document: DesiredDocument,
  present: readonly RevisionObject[],
  next: Readonly<Record<Kind, number>>,
  problems: Problems,
): Wanted[] {
  const unsure = SECTIONS.filter(({ section }) => problems.has(`document.${section}`)).map(({ kind }) => kind)
  const named = new Names(present, unsure)
  const found = SECTIONS.flatMap(({ kind, section, title }) => {
    let id = next[kind]
    return ((document[section] ?? []) as readonly Item[]).map((item, at) => {
      const path = `document.${section}.${at}`
      const [name, was] = [String(item[title]), item['was']]
      const stored = named.find(kind, typeof was === 'string' && !named.find(kind, name) ? was : name)
      const target_key = stored?.target_key ?? String(id++)
      if (!named.claim(kind, name, target_key))
        problems.add(`${path}.${title}`, 'INVALID_VALUE', message('desired.twice', { name }))
      return { kind, target_key, title: name, item, path, stored }
    })
  })
  return found.map(({ item, ...wanted }) => ({ ...wanted, given: givenIn(item, wanted.path, named, problems) }))
}

class Names {
  readonly #stored = new Map<string, RevisionObject>()
  /** The keys by the names that the file gives. */
  readonly #wanted = new Map<string, string>()

  /** Kinds of which the file has items that cannot be read. */
  readonly #unsure: readonly Kind[]

  constructor(present: readonly RevisionObject[], unsure: readonly Kind[]) {
    this.#unsure = unsure
    for (const one of present) this.#stored.set(nameOf(one.kind, one.title), one)
  }

  find(kind: Kind, name: string): RevisionObject | null {
    return this.#stored.get(nameOf(kind, name)) ?? null
  }

  /** Whether the file has not used it already. */
  claim(kind: Kind, name: string, target_key: string): boolean {
    const key = nameOf(kind, name)
    if (this.#wanted.has(key)) return false
    this.#wanted.set(key, target_key)
    return true
  }

  /** Whether it is certain that nothing has the name. */
  isMissing(kind: Kind, name: string): boolean {
    return this.key(kind, name) === null && !this.#unsure.includes(kind)
  }

  /** What the file makes or changes, or else what is there. */
  key(kind: Kind, name: string): string | null {
    return this.#wanted.get(nameOf(kind, name)) ?? this.find(kind, name)?.target_key ?? null
  }
}

/** Interfaces differ by capitals, titles do not. */
const nameOf = (kind: RevisionObject['kind'], name: string): string =>
  `${kind} ${kind === 'tunnel' ? name : titleKey(name)}`

const REFERENCES = { tunnel: ['tunnel_id', 'tunnel'], pool: ['address_pool_id', 'pool'] } as const

/** Names become ids, and words numbers. */
function givenIn(item: Item, path: string, named: Names, problems: Problems): Item {
  const given: Record<string, unknown> = {}
  const put = (field: string, value: unknown, from: string): void => {
    if (Object.hasOwn(item, field) && field !== from)
      problems.add(`${path}.${from}`, 'INVALID_VALUE', message('desired.both', { field: from, other_field: field }))
    given[field] = value
  }
  for (const [field, value] of Object.entries(item)) {
    if (field === 'was') continue
    if (field === 'tunnel' || field === 'pool') {
      const [id, kind] = REFERENCES[field]
      const key = value === null ? null : named.key(kind, String(value))
      if (value !== null && named.isMissing(kind, String(value)))
        problems.add(`${path}.${field}`, 'INVALID_VALUE', message('desired.unknown', { of: kind, name: String(value) }))
      put(id, key === null ? null : Number(key), field)
    } else if (field === 'paths')
      given[field] = (value as readonly Item[]).map((one, at) => givenIn(one, `${path}.paths.${at}`, named, problems))
    else if (Object.hasOwn(WORDS, field)) {
      const [id, numbers] = WORDS[field as keyof typeof WORDS]
      const word = Object.entries(numbers).find(([name]) => name.toLowerCase() === String(value).toLowerCase())
      put(id, word?.[1], field)
    } else given[field] ??= value
  }
  return given
}

/** The reverse: objects by their names, with words for numbers. */
export function asDocument(objects: readonly RevisionObject[]): Record<string, unknown> {
  const titles = new Map(objects.map(({ kind, target_key, title }) => [`${kind} ${target_key}`, title]))
  const settings = objects.filter(({ kind }) => kind === 'setting')
  const sections = SECTIONS.map(({ kind, section }) => [
    section,
    objects.filter((one) => one.kind === kind).map(({ item }) => named(kind === 'route' ? routed(item) : item, titles)),
  ])
  return {
    version: 1,
    settings: Object.fromEntries(settings.map(({ target_key, item }) => [target_key, item['value']])),
    ...Object.fromEntries(sections),
  }
}

function named(item: Item, titles: ReadonlyMap<string, string>): Item {
  const words = new Map<string, readonly [string, Readonly<Record<string, number>>]>(
    Object.entries(WORDS).map(([name, [id, numbers]]) => [id, [name, numbers]]),
  )
  return Object.fromEntries(
    Object.entries(item).map(([field, value]) => {
      for (const [name, [id, kind]] of Object.entries(REFERENCES))
        if (field === id) return [name, value === null ? null : (titles.get(`${kind} ${String(value)}`) ?? null)]
      const word = words.get(field)
      const spelled = word && Object.entries(word[1]).find(([, number]) => number === value)
      if (word && spelled) return [word[0], spelled[0].toLowerCase()]
      if (field === 'paths') return [field, (value as readonly Item[]).map((one) => named(one, titles))]
      return [field, value]
    }),
  )
}
