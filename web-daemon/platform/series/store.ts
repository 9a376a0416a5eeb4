// Reads and writes the intervals of any series. Any number of rows is written in one statement.
import { sql, type RawBuilder } from 'kysely'
import type { ReadDb, WriteDb } from '../context.ts'
import { joinIntervals, type Interval, type Join, type Series } from './series.ts'
import { completePoints, intervalStartSql, newestPoints, type Span, type StoredPoint } from './spans.ts'

const columnsOf = <B extends Interval>({ key, figures }: Series<B>): string[] => [
  ...primaryKey(key),
  ...figures.map(([name]) => name),
]

const primaryKey = (key: string | null): string[] => (key === null ? ['bucket_start'] : [key, 'bucket_start'])

const refs = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))

/** Adds to intervals that are stored in part. `isWanted` decides by the JSON `value` of each. */
export async function addIntervals<B extends Interval>(
  db: WriteDb,
  series: Series<B>,
  intervals: readonly B[],
  isWanted: RawBuilder<unknown> = sql`true`,
): Promise<void> {
  const { table, key, figures } = series
  const columns = columnsOf(series)
  await sql`
    insert into ${sql.table(table)} (${refs(columns)})
    select ${sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`))}
    from json_each(${JSON.stringify(intervals)}) where ${isWanted}
    on conflict (${refs(primaryKey(key))})
    do update set ${sql.join(figures.map(([name, how]) => joinedSql(table, name, how)))}`.execute(db)
}

/** In SQLite a sum, min() and max() are null if one argument is. */
function joinedSql(table: string, column: string, how: Join): RawBuilder<unknown> {
  const [stored, added] = [sql.ref(`${table}.${column}`), sql.ref(`excluded.${column}`)]
  const both = how === 'min' || how === 'max' ? sql`${sql.raw(how)}(${stored}, ${added})` : sql`${stored} + ${added}`
  return sql`${sql.ref(column)} = ${how === 'whole' ? both : sql`coalesce(${both}, ${stored}, ${added})`}`
}

/**
 * Deletes at most `most` intervals that begin before then, of these keys or of all, and returns how many it has
 * deleted: what is left goes with the next run.
 */
export async function deleteIntervalsBefore<B extends Interval>(
  db: WriteDb,
  { table, key }: Series<B>,
  bucket_start: number,
  { most, keys }: { readonly most: number; readonly keys?: readonly number[] },
): Promise<number> {
  const isOfKeys =
    key && keys ? sql`${sql.ref(key)} in (select value from json_each(${JSON.stringify(keys)}))` : sql`true`
  const columns = refs(primaryKey(key))
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${isOfKeys} and bucket_start < ${bucket_start} limit ${most}
    )`.execute(db)
  return Number(numAffectedRows)
}

/** What a history is read of. */
interface Query<B extends Interval> {
  /** Null of a series without a key. */
  readonly key: number | null
  readonly span: Span
  readonly limit: number
  /** Intervals that are not stored, or only in part. */
  readonly unsaved?: readonly B[]
}

export interface Points<B extends Interval> {
  readonly points: StoredPoint<B>[]
  readonly total: number
}

/** Intervals joined to points of the resolution, oldest first; if there are more than `limit`, the newest. */
export async function readPoints<B extends Interval>(
  db: ReadDb,
  series: Series<B>,
  { key, span, limit, unsaved = [] }: Query<B>,
): Promise<Points<B>> {
  const bounds = await rowsOf(db, series, key)
    .select(sql<number | null>`min(bucket_start)`.as('oldest'))
    .select(sql<number | null>`max(bucket_start)`.as('newest'))
    .executeTakeFirstOrThrow()
  const stored = await newestPoints(span, limit, {
    bounds,
    read: (piece) => readJoined(db, series, key, piece),
    count: (piece) => countPoints(db, series, key, piece),
  })
  const points = completePoints(stored.points, unsaved, span, (a, b) => joinIntervals(series, a, b))
  return {
    points: limit === 0 ? [] : points.slice(-limit),
    total: stored.total + points.length - stored.points.length,
  }
}

const rowsOf = <B extends Interval>(db: ReadDb, { table, key }: Series<B>, of: number | null) =>
  db
    .selectFrom(sql<Interval>`${sql.table(table)}`.as('interval'))
    .where(key === null ? sql<boolean>`true` : sql<boolean>`${sql.ref(key)} = ${of}`)

const inSpan = <B extends Interval>(db: ReadDb, series: Series<B>, of: number | null, { from, to }: Span) =>
  rowsOf(db, series, of).where('bucket_start', '>=', from).where('bucket_start', '<', to)

async function countPoints<B extends Interval>(
  db: ReadDb,
  series: Series<B>,
  of: number | null,
  span: Span,
): Promise<number> {
  const { count } = await inSpan(db, series, of, span)
    .select(sql<number>`count(distinct ${intervalStartSql(span.resolution_seconds)})`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The newest first. */
async function readJoined<B extends Interval>(
  db: ReadDb,
  series: Series<B>,
  of: number | null,
  span: Span,
): Promise<StoredPoint<B>[]> {
  const rows = await inSpan(db, series, of, span)
    .select(intervalStartSql(span.resolution_seconds).as('start'))
    .select(series.figures.map(([name, how]) => groupedSql(name, how).as(name)))
    .select(sql<number>`count(*)`.as('samples'))
    .groupBy('start')
    .orderBy('start', 'desc')
    .execute()
  const named = series.key === null ? {} : { [series.key]: of }
  return rows.map(
    ({ start: bucket_start, ...row }) => ({ ...named, bucket_start, ...row }) as unknown as StoredPoint<B>,
  )
}

function groupedSql(column: string, how: Join): RawBuilder<number | null> {
  const figure = sql.ref(column)
  if (how === 'whole') return sql`case when count(${figure}) = count(*) then sum(${figure}) end`
  return sql`${sql.raw(how)}(${figure})`
}
