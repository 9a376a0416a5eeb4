// Reads and writes the history of the host. Any number of rows is written in one statement.
import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { intervalStartSql, joinedSql, newestPoints, type Span, type StoredPoint } from '../../platform/db/spans.ts'
import { MAXIMA, SUMS, type HostBucket } from './host-bucket.ts'

const COLUMNS = ['bucket_start', ...SUMS, ...MAXIMA] as const

/** Adds to an interval that is stored in part. */
export async function addHostBuckets(db: WriteDb, buckets: readonly HostBucket[]): Promise<void> {
  const values = sql.join(COLUMNS.map((column) => sql`value ->> ${sql.lit(column)}`))
  const joined = [
    ...SUMS.map((name) => joinedSql('host_bucket', name, 'sum')),
    ...MAXIMA.map((name) => joinedSql('host_bucket', name, 'max')),
  ]
  await sql`
    insert into host_bucket (${sql.join(COLUMNS.map((column) => sql.ref(column)))})
    select ${values} from json_each(${JSON.stringify(buckets)}) where true
    on conflict (bucket_start) do update set ${sql.join(joined)}`.execute(db)
}

/** At most `most` rows: what is left goes with the next run. */
export async function deleteHostBucketsBefore(db: WriteDb, bucket_start: number, most: number): Promise<void> {
  await sql`
    delete from host_bucket where bucket_start in (
      select bucket_start from host_bucket where bucket_start < ${bucket_start} limit ${most}
    )`.execute(db)
}

/** Intervals joined to points of the resolution, oldest first; if there are more than `limit`, the newest. */
export async function findHostPoints(
  db: ReadDb,
  span: Span,
  limit: number,
): Promise<{ points: StoredPoint<HostBucket>[]; total: number }> {
  const bounds = await db
    .selectFrom('host_bucket')
    .select((e) => [e.fn.min('bucket_start').as('oldest'), e.fn.max('bucket_start').as('newest')])
    .executeTakeFirstOrThrow()
  return newestPoints(span, limit, {
    bounds,
    read: (piece) => readPoints(db, piece),
    count: (piece) => countPoints(db, piece),
  })
}

const inSpan = (db: ReadDb, { from, to }: Span) =>
  db.selectFrom('host_bucket').where('bucket_start', '>=', from).where('bucket_start', '<', to)

async function countPoints(db: ReadDb, span: Span): Promise<number> {
  const { count } = await inSpan(db, span)
    .select(sql<number>`count(distinct ${intervalStartSql(span.resolution_seconds)})`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** The newest first. */
async function readPoints(db: ReadDb, span: Span): Promise<StoredPoint<HostBucket>[]> {
  const rows = await inSpan(db, span)
    .select(intervalStartSql(span.resolution_seconds).as('start'))
    .select(SUMS.map((name) => sql<number | null>`sum(${sql.ref(name)})`.as(name)))
    .select(MAXIMA.map((name) => sql<number | null>`max(${sql.ref(name)})`.as(name)))
    .select((e) => e.fn.countAll<number>().as('samples'))
    .groupBy('start')
    .orderBy('start', 'desc')
    .execute()
  return rows.map(({ start: bucket_start, ...row }) => ({ bucket_start, ...row }))
}
