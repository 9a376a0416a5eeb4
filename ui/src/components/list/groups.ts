// Rows of a list in groups, broken ones first; pure, for tests.
import type { Grouping } from './list-state.svelte.ts'

export interface Group<T> {
  /** Unlike the key of any row. */
  readonly key: string
  /** "": of the rows that have nothing to be grouped by. */
  readonly id: string
  readonly rows: readonly T[]
  readonly isOpen: boolean
}

export interface GroupedBy<T> {
  readonly id: (row: T) => string
  /** How bad a row is, from 0 for the worst; a group is as bad as its worst row. */
  readonly rank: (row: T) => number
}

/** Rows stay in their order; of two groups that are equally bad the one without an id is last. */
export function groupRows<T>(
  rows: readonly T[],
  { id, rank }: GroupedBy<T>,
  isOpen: (id: string) => boolean = () => true,
): Group<T>[] {
  const groups = new Map<string, { rows: T[]; rank: number }>()
  for (const row of rows) {
    const group = groups.get(id(row)) ?? { rows: [], rank: Infinity }
    group.rows.push(row)
    group.rank = Math.min(group.rank, rank(row))
    groups.set(id(row), group)
  }
  return [...groups]
    .sort(
      ([one, { rank: a }], [other, { rank: b }]) =>
        a - b || Number(one === '') - Number(other === '') || one.localeCompare(other, 'en', { numeric: true }),
    )
    .map(([name, group]) => ({ key: `group/${name}`, id: name, rows: group.rows, isOpen: isOpen(name) }))
}

/** In the grouping that the operator chose. */
export const groupsOf = <T>(
  rows: readonly T[],
  groupedBy: (by: string) => GroupedBy<T>,
  { by, isFolded, except }: Grouping,
): Group<T>[] => groupRows(rows, groupedBy(by), (id) => except.includes(id) === isFolded)
