// `nft -j list table inet panel` as our table: the inverse of what formatChange makes for a table that is new.
import { hex } from '../mark.ts'
import { sourceMap } from './constant.ts'
import { FAMILIES } from './hooks.ts'
import { flowtable } from './fast-path.ts'
import { emptyTable, newSet, type Table, type TableSet } from './table.ts'
import { foreign, isList, isObject, numberIn, objectsIn, only, textIn, type Json, type JsonObject } from './json.ts'
import { ipOr, ruleText } from './read-rule.ts'

export interface Listing {
  readonly table: Table
  /** Objects of kinds that are not ours, as text. */
  readonly unknown: string[]
}

export function readTable(json: string): Listing {
  const table = emptyTable()
  const unknown: string[] = []
  for (const [kind, object] of objectsIn(json)) {
    const name = textIn(object, 'name')
    if (kind === 'metainfo' || kind === 'table') continue
    if (kind === 'counter') table.counters.add(name)
    else if (kind === 'set' || kind === 'map') table.sets.set(name, readSet(kind, object))
    else if (kind === 'flowtable' && isOurs(object)) table.sets.set(name, flowtable)
    else if (kind === 'chain') table.chains.set(name, { declaration: hookText(object), rules: [] })
    else if (kind === 'rule') table.chains.get(textIn(object, 'chain'))?.rules.push(ruleText(object['expr']))
    else unknown.push(`${kind} ${name}`)
  }
  return { table, unknown }
}

/** A listing does not say whether it counts. */
const isOurs = (one: JsonObject): boolean => textIn(one, 'hook') === 'ingress' && numberIn(one, 'prio') === 0

function hookText(chain: JsonObject): string {
  return 'hook' in chain
    ? `type ${textIn(chain, 'type')} hook ${textIn(chain, 'hook')} priority ${numberIn(chain, 'prio')}; policy ${textIn(chain, 'policy')};`
    : ''
}

/** Up to 1.0.6 a listing does not mark a set as dynamic, so its name decides (shared/ruleset/nft/layout.ts). */
function readSet(kind: 'set' | 'map', object: JsonObject): TableSet {
  const keys = readTypes(object['type'])
  const values = readTypes(object['map'])
  const isDynamic = kind === 'set' && /^open[46]_[0-9]+$/.test(textIn(object, 'name'))
  const isMirrored = kind === 'map' && FAMILIES.map(sourceMap).includes(textIn(object, 'name'))
  const flags = isList(object['flags']) ? object['flags'] : []
  const set = newSet(
    kind,
    [keys, ...(kind === 'map' ? [values] : [])].map((types) => types.join(' . ')).join(' : '),
    isDynamic
      ? ['dynamic']
      : isMirrored
        ? ['mirrored']
        : [
            ...(flags.includes('interval') ? (['interval'] as const) : []),
            ...(isCounted(object['stmt']) ? (['counted'] as const) : []),
          ],
  )
  for (const element of isList(object['elem']) ? object['elem'] : []) {
    const [key, value] = kind === 'map' && isList(element) ? element : [element]
    set.elements?.set(
      formatKey(key ?? null, keys, set.isInterval),
      value === undefined ? '' : formatKey(value, values, false),
    )
  }
  return set
}

const isCounted = (statements: Json | undefined): boolean =>
  isList(statements) && statements.some((one) => only(one)?.[0] === 'counter')

/** A list, or one text with the parts joined, by version and place. */
const readTypes = (type: Json | undefined): string[] =>
  isList(type) ? type.map(String) : typeof type === 'string' ? type.split(' . ') : []

function formatKey(value: Json, types: readonly string[], isInterval: boolean): string {
  const [kind, body] = only(value) ?? ['', null]
  if (kind === 'elem' && isObject(body)) return formatKey(body['val'] ?? null, types, isInterval)
  if (kind === 'concat' && isList(body)) return body.map((part, at) => atom(part, types[at] ?? '', false)).join(' . ')
  if (kind === 'goto' && isObject(body)) return `goto ${textIn(body, 'target')}`
  if (kind === 'range' && isList(body)) return body.map((end) => atom(end, types[0] ?? '', false)).join('-')
  if (kind === 'prefix' && isObject(body)) return `${ipOr(textIn(body, 'addr'))}/${numberIn(body, 'len')}`
  return atom(value, types[0] ?? '', isInterval)
}

const PROTOCOLS: Readonly<Record<number, string>> = { 6: 'tcp', 17: 'udp' }

/** In a set of networks an address is a network of one. */
function atom(value: Json, type: string, isInterval: boolean): string {
  if (typeof value === 'number')
    return type === 'mark' ? hex(value) : type === 'inet_proto' ? (PROTOCOLS[value] ?? `${value}`) : `${value}`
  if (typeof value !== 'string') return foreign(value)
  if (type === 'ipv4_addr') return isInterval ? `${value}/32` : value
  if (type === 'ipv6_addr') return isInterval ? `${ipOr(value)}/128` : ipOr(value)
  return value
}
