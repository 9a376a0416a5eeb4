// What columns are declared by: a function of the item for each, and the unit of what it returns.
import type { EndpointName, Endpoints } from '../endpoints.ts'
import type { MetricsSnapshot } from '../metrics.ts'
import type { MonitorSummaryAnswer } from '../monitor.ts'

export type Unit = 'bytes' | 'rate' | 'seconds' | 'milliseconds' | 'percent' | 'instant'
/** A value that is written by its unit, such as 1.5 MB. Null is not known. */
export interface Measure {
  readonly unit: Unit
  readonly amount: number | string | null
}
type Plain = string | number | boolean | null | undefined
/** A list is written with commas. */
export type Cell = Plain | Measure | readonly (string | number)[]

/** What other endpoints answer about the items; absent where they were refused. */
export interface Also {
  readonly 'GET /monitor/summary'?: MonitorSummaryAnswer
  readonly 'GET /system/metrics'?: MetricsSnapshot
}

export type Columns<T> = Readonly<Record<string, (item: T, also: Also) => Cell>>

export interface Listing {
  /** The field of the answer that has the items. */
  readonly items: string
  readonly columns: Columns<never>
  /** Shown where there is room for them, or where everything is wanted. */
  readonly extra: Columns<never>
  readonly also: readonly (keyof Also)[]
}

/** The lists of each endpoint, by its name; an answer may have several. */
export type Listings = { readonly [R in EndpointName]?: readonly Listing[] }

export type AnswerTo<R extends EndpointName> = Endpoints[R] extends { readonly answer: infer A } ? A : never
export type Item<A, K extends keyof A> = A[K] extends readonly (infer T)[] ? T : never

export const listing = <R extends EndpointName, K extends keyof AnswerTo<R> & string>(
  _route: R,
  items: K,
  columns: Columns<Item<AnswerTo<R>, K>>,
  extra: Columns<Item<AnswerTo<R>, K>> = {},
  also: readonly (keyof Also)[] = [],
): Listing => ({ items, columns, extra, also })

const measured =
  (unit: Unit) =>
  (amount: number | string | null | undefined): Measure => ({ unit, amount: amount ?? null })
export const bytes = measured('bytes')
export const rate = measured('rate')
export const seconds = measured('seconds')
export const milliseconds = measured('milliseconds')
export const percent = measured('percent')
export const instant = measured('instant')
