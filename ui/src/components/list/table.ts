// The columns of a DataTable.
import type { Snippet } from 'svelte'

export interface Column<T> {
  readonly id: string
  readonly title: string
  readonly cell: Snippet<[T]>
  /** Row header for screen readers, and the title of the card on a phone. */
  readonly isHead?: boolean
  /** Aligned to the end, as numbers are. */
  readonly isNumber?: boolean
  /** Of the width, where rows are compact; as wide as others if absent. */
  readonly share?: number
  /** Present: the column is sortable. */
  readonly order?: (a: T, b: T) => number
}
