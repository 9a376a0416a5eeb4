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
async function* splitSpan({ from, to, resolution_seconds }: Span): AsyncGenerator<Span> {
  const step = Math.max(1, Math.floor(PIECE_S / resolution_seconds)) * resolution_seconds
  for (let end = to; end > from;) {
    const start = Math.max(from, intervalStart(end - 1, step))
    yield { from: start, to: end, resolution_seconds }
    end = start
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Queries of a table of intervals about one thing. */
export interface StoredIntervals<P> {
  /** The first and the last interval that is stored; null where there is none. */
  readonly bounds: { readonly oldest: number | null; readonly newest: number | null }
  /** Joined to points of the resolution, the newest first. */
  readonly read: (piece: Span) => Promise<P[]>
  readonly count: (piece: Span) => Promise<number>
}

/** Points of the span, oldest first; if there are more than `limit`, the newest. `total` counts all. */
export async function newestPoints<P>(
  span: Span,
  limit: number,
  { bounds: { oldest, newest }, read, count }: StoredIntervals<P>,
): Promise<{ points: P[]; total: number }> {
  const from = Math.max(span.from, oldest ?? span.to)
  let total = 0
  const newestFirst: P[] = []
  for await (const piece of splitSpan({ ...span, from, to: Math.min(span.to, (newest ?? from) + 1) })) {
    const rows = newestFirst.length < limit ? await read(piece) : null
    total += rows ? rows.length : await count(piece)
    newestFirst.push(...(rows ?? []))
  }
  return { points: newestFirst.slice(0, limit).reverse(), total }
}

/** A point of stored intervals; `samples` is how many they are. */
export type StoredPoint<B> = B & { readonly samples: number }

/** Completes points with intervals of the span that are not stored, or stored only in part. */
export function completePoints<B extends { readonly bucket_start: number }>(
  stored: readonly StoredPoint<B>[],
  unsaved: readonly B[],
  { from, to, resolution_seconds }: Span,
  join: (a: StoredPoint<B>, b: B) => B,
): StoredPoint<B>[] {
  const points = new Map(stored.map((point) => [point.bucket_start, point]))
  for (const bucket of unsaved.filter(({ bucket_start }) => bucket_start >= from && bucket_start < to)) {
    const bucket_start = intervalStart(bucket.bucket_start, resolution_seconds)
    const point = points.get(bucket_start)
    const isCounted = point?.bucket_start === bucket.bucket_start
    const samples = (point?.samples ?? 0) + (isCounted ? 0 : 1)
    points.set(bucket_start, { ...(point ? join(point, bucket) : { ...bucket, bucket_start }), samples })
  }
  return [...points.values()].sort((a, b) => a.bucket_start - b.bucket_start)
}
