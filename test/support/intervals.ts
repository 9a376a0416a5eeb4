// Words for tests that store and join intervals of a history.
import { HOST_HISTORY, type HostBucket } from '@panel/web-daemon/features/metrics/host-bucket.ts'
import { HISTORY, type Bucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import type { ReadDb, WriteDb } from '@panel/web-daemon/platform/context.ts'
import { joinIntervals } from '@panel/web-daemon/platform/series/series.ts'
import type { Span } from '@panel/web-daemon/platform/series/spans.ts'
import { addIntervals, readPoints } from '@panel/web-daemon/platform/series/store.ts'

export const joinBuckets = <A extends Bucket>(a: A, b: Bucket): A => joinIntervals(HISTORY, a, b)
export const findPoints = (db: ReadDb, tunnel_id: number, span: Span, limit: number) =>
  readPoints(db, HISTORY, { key: tunnel_id, span, limit })

export const joinHostBuckets = (a: HostBucket, b: HostBucket): HostBucket => joinIntervals(HOST_HISTORY, a, b)
export const addHostBuckets = (db: WriteDb, buckets: readonly HostBucket[]): Promise<void> =>
  addIntervals(db, HOST_HISTORY, buckets)
export const emptyHostBucket = (bucket_start: number): HostBucket =>
  ({ ...Object.fromEntries(HOST_HISTORY.figures.map(([name]) => [name, null])), bucket_start }) as unknown as HostBucket
