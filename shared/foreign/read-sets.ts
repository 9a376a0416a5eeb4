// The named sets and maps of a listing, whose elements rules refer to.
import { isList, isObject, only, textIn, type Json, type JsonObject } from '../ruleset/nft/json.ts'

/** The elements of a set of the rule's own table; null if they cannot be read, or come and go without a change. */
export type SetElements = (name: string) => readonly Json[] | null

export const NO_SETS: SetElements = () => null

/** `objects` are those of a listing; a table is its family and name. */
export function readSets(objects: readonly [kind: string, object: JsonObject][]): (table: string) => SetElements {
  const all = new Map<string, readonly Json[]>()
  for (const [kind, set] of objects) {
    if ((kind !== 'set' && kind !== 'map') || isChanging(set)) continue
    const { elem = [] } = set
    all.set(`${textIn(set, 'family')} ${textIn(set, 'table')} ${textIn(set, 'name')}`, isList(elem) ? elem : [])
  }
  return (table) => (name) => all.get(`${table} ${name}`) ?? null
}

/** Packets add elements to it, or time takes them away. */
const isChanging = ({ flags }: JsonObject): boolean => /"(?:dynamic|timeout)"/.test(JSON.stringify(flags ?? ''))

/** An element with a comment or a counter has its value within. */
export function elementValue(element: Json): Json {
  const [kind, body] = only(element) ?? ['', null]
  return kind === 'elem' && isObject(body) ? (body['val'] ?? null) : element
}
