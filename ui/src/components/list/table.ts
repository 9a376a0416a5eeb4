// What a DataTable is given.
import type { Snippet } from 'svelte'
import type { Group } from './groups.ts'
import type { ListState } from './list-state.svelte.ts'
import type { RowKey } from './selection.ts'

export interface Column<T> {
  readonly id: string
  readonly title: string
  readonly cell: Snippet<[T]>
  /** Cells are edited in place where the list allows it. */
  readonly isEdited?: true
  /** Row header for screen readers, and the title of the card on a phone. */
  readonly isHead?: boolean
  /** Aligned to the end, as numbers are. */
  readonly isNumber?: boolean
  /** The width of the window from which on it is there, unless the operator chose; absent, always. */
  readonly from?: number
  /** The width in a dense table, as CSS writes that of a grid's column; absent, that of the content. */
  readonly track?: string
  /** Present: the column is sortable. */
  readonly order?: (a: T, b: T) => number
}

export interface TableProps<T> {
  caption: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  key: (row: T) => RowKey
  /** A row is a line; on a phone it is two without titles, the upper with the head, the state and what is last. */
  isDense?: boolean
  /** Rows can be selected, by this name, and the operator chooses columns; the first is the state. */
  choice?: { readonly state: ListState; readonly name: (row: T) => string }
  /** Rows in groups, each below a line of its own that is there while the group is folded, too. */
  groups?: { readonly of: (rows: readonly T[]) => readonly Group<T>[]; readonly head: Snippet<[Group<T>]> }
  /** Edits cells in place: `cell` stands in those of the row `key`. */
  edits?: {
    readonly begin: (row: T, column: string) => void
    readonly key: RowKey | undefined
    readonly cell: Snippet<[T, string]>
    readonly name: (row: T) => string
  }
  /** What is wrong with a row, below its cells. */
  note?: { readonly isNeeded: (row: T) => boolean; readonly text: Snippet<[T]> }
  /** The menu of a row, at its end. */
  actions?: Snippet<[T]>
}
