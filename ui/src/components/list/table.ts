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
  /** The share of the width, where rows are compact; absent, the column is as wide as the others. */
  readonly share?: number
  /** Present: the column is sortable. */
  readonly order?: (a: T, b: T) => number
}
