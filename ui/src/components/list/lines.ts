// The lines of a table: its rows, and those of its groups above theirs.
import type { Group } from './groups.ts'
import type { RowKey } from './selection.ts'

interface Line<T> {
  readonly key: RowKey
  readonly group?: Group<T>
  readonly row?: T
}

export function linesOf<T>(rows: readonly T[], key: (row: T) => RowKey, groups?: readonly Group<T>[]): Line<T>[] {
  const each = (some: readonly T[]): Line<T>[] => some.map((row) => ({ key: key(row), row }))
  return (
    groups?.flatMap((group) => [{ key: group.key, group }, ...(group.isOpen ? each(group.rows) : [])]) ?? each(rows)
  )
}
