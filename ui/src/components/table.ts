// What a table is told of its columns.
import type { Snippet } from 'svelte'

export interface Column<T> {
  readonly id: string
  readonly title: string
  readonly cell: Snippet<[T]>
  /** Names the row: said first by a screen reader, and the title of the card on a phone. */
  readonly isHead?: boolean
  /** At the end of its column, as figures are. */
  readonly isNumber?: boolean
  /** Makes the column one to sort by. */
  readonly order?: (a: T, b: T) => number
}
