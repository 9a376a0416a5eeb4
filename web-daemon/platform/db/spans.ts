// Time as histories are stored: in intervals that begin at whole multiples of their length.
import { sql, type RawBuilder } from 'kysely'

/** In seconds since 1970: from `from` on and before `to`, joined to points of the resolution. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly resolution_seconds: number
}

export const startOf = (at_seconds: number, interval_seconds: number): number =>
  Math.floor(at_seconds / interval_seconds) * interval_seconds

/** The same, of a row's `bucket_start` and a whole number of seconds. */
export const startIn = (interval_seconds: number): RawBuilder<number> =>
  sql<number>`bucket_start / ${sql.lit(interval_seconds)} * ${sql.lit(interval_seconds)}`

/** What is read at once: a day and a half of minutes. SQLite holds the thread meanwhile. */
const PIECE_S = 2048 * 60

/** The span from one whole point to the next, the newest first, with time for others in between. */
export async function* piecesOf({ from, to, resolution_seconds }: Span): AsyncGenerator<Span> {
  const step = Math.max(1, Math.floor(PIECE_S / resolution_seconds)) * resolution_seconds
  for (let end = to; end > from;) {
    const start = Math.max(from, startOf(end - 1, step))
    yield { from: start, to: end, resolution_seconds }
    end = start
    await new Promise((resolve) => setImmediate(resolve))
  }
}
