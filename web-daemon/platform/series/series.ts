// A history of figures by interval, each a row of a table. Those of two intervals join to the figures of a longer one,
// so an interval may also be stored in part and completed.
export interface Interval {
  /** In seconds since 1970. */
  readonly bucket_start: number
}

/** How a figure follows from those of two parts. One that is null leaves the other as it is, but makes a whole null. */
export type Join = 'sum' | 'whole' | 'min' | 'max'

export interface Series<B extends Interval> {
  readonly table: string
  /** The column that names what an interval is of; null if the table is of one thing. */
  readonly key: (keyof B & string) | null
  readonly figures: readonly (readonly [name: string, how: Join])[]
}

/** Every figure of an interval is named, which the compiler checks. */
export function makeSeries<B extends Interval, K extends (keyof B & string) | null>(
  table: string,
  key: K,
  figures: { readonly [F in Exclude<keyof B, K | 'bucket_start'>]: Join },
): Series<B> {
  return { table, key, figures: Object.entries<Join>(figures) }
}

/** Both of the same interval; the rest is that of `a`. */
export function joinIntervals<B extends Interval, A extends B>({ figures }: Series<B>, a: A, b: Partial<B>): A {
  const [one, other] = [a, b] as unknown as readonly Readonly<Record<string, number | null>>[]
  const joined: Record<string, number | null> = {}
  for (const [name, how] of figures) joined[name] = joinFigures(how, one?.[name] ?? null, other?.[name] ?? null)
  return { ...a, ...joined }
}

function joinFigures(how: Join, a: number | null, b: number | null): number | null {
  if (a === null || b === null) return how === 'whole' ? null : (a ?? b)
  if (how === 'min' || how === 'max') return Math[how](a, b)
  return a + b
}
