// What differs between two states of objects, field by field.
import { isDeepStrictEqual } from 'node:util'
import type { FieldChange, ObjectDifference, RevisionKind } from '@panel/shared/api/revisions.ts'
import { KINDS, nameOf, wishOf, type RevisionObject } from './items.ts'
import type { Item } from './packed.ts'

export interface Pair {
  readonly kind: RevisionKind
  readonly target_key: string
  readonly title: string
  readonly before: Item | null
  readonly after: Item | null
}

/** Those that differ in what is wanted, in the order in which one can refer to another. */
export function differing(before: readonly RevisionObject[], after: readonly RevisionObject[]): Pair[] {
  const pairs = new Map<string, Pair>()
  for (const { item, ...named } of whole(before))
    pairs.set(nameOf(named), { ...named, before: wishOf(named.kind, item), after: null })
  for (const { item, ...named } of whole(after)) {
    const name = nameOf(named)
    pairs.set(name, { ...named, before: pairs.get(name)?.before ?? null, after: wishOf(named.kind, item) })
  }
  return [...pairs.values()].filter((pair) => !isDeepStrictEqual(pair.before, pair.after)).sort(inTheirOrder)
}

/** A rule keeps the id of a tunnel that was deleted, which no request could name: it is as a rule without a tunnel. */
function whole(state: readonly RevisionObject[]): RevisionObject[] {
  const tunnels = new Set(state.filter(({ kind }) => kind === 'tunnel').map(({ target_key }) => target_key))
  return state.map((one) => {
    const { tunnel_id, ...item } = one.item
    return one.kind === 'route' && typeof tunnel_id === 'number' && !tunnels.has(String(tunnel_id))
      ? { ...one, item }
      : one
  })
}

export const inTheirOrder = (a: Pick<Pair, 'kind' | 'target_key'>, b: Pick<Pair, 'kind' | 'target_key'>): number =>
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.target_key.localeCompare(b.target_key, 'en', { numeric: true })

export const whatOf = (was: boolean, is: boolean): 'created' | 'updated' | 'deleted' =>
  was ? (is ? 'updated' : 'deleted') : 'created'

export const differenceOf = ({ before, after, ...named }: Pair): ObjectDifference => ({
  kind: named.kind,
  target_key: named.target_key,
  title: named.title,
  what: whatOf(before !== null, after !== null),
  changes: fieldChanges(before ?? {}, after ?? {}),
})

/** A field that an item does not have is null. */
export function fieldChanges(before: Item, after: Item): FieldChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return fields
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after))
}
