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
  /** The width of the window from which on it is there, unless the operator chose; absent, always. */
  readonly from?: number
  /** The width in a dense table, as CSS writes that of a grid's column; absent, that of the content. */
  readonly track?: string
  /** Present: the column is sortable. */
  readonly order?: (a: T, b: T) => number
}
