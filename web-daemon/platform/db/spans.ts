// Intervals of stored histories: they begin at multiples of their length.
import { sql, type RawBuilder } from 'kysely'

/** In seconds since 1970: `from` included, `to` excluded, joined to points of the resolution. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly resolution_seconds: number
}

export function intervalStart(at_seconds: number, interval_seconds: number): number {
  return Math.floor(at_seconds / interval_seconds) * interval_seconds
}

/** The same in SQL, for `bucket_start` and a whole number of seconds. */
export function intervalStartSql(interval_seconds: number): RawBuilder<number> {
  return sql<number>`bucket_start / ${sql.lit(interval_seconds)} * ${sql.lit(interval_seconds)}`
}

/** Read in pieces of a day and a half of minutes, because SQLite blocks the thread meanwhile. */
const PIECE_S = 2048 * 60

/** Divides a span at whole points, newest first, and lets other requests run in between. */
export async function* splitSpan({ from, to, resolution_seconds }: Span): AsyncGenerator<Span> {
  const step = Math.max(1, Math.floor(PIECE_S / resolution_seconds)) * resolution_seconds
  for (let end = to; end > from;) {
    const start = Math.max(from, intervalStart(end - 1, step))
    yield { from: start, to: end, resolution_seconds }
    end = start
    await new Promise((resolve) => setImmediate(resolve))
  }
}
