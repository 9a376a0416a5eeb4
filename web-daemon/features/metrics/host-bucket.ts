// One interval of the host's history. Its figures can be added, so that intervals join to longer ones.
import type { HostPoint } from '@panel/shared/api/metrics.ts'
import type { HostReading } from './host-reader.ts'
import { makeSeries, type Interval } from '../../platform/series/series.ts'
import { hundredths } from './figures.ts'

/** Shares in hundredths of a percent, which are whole numbers; null where nothing was read. */
export interface HostFigures {
  readonly cpu_count: number | null
  readonly cpu_sum: number | null
  readonly cpu_max: number | null
  readonly memory_count: number | null
  readonly memory_sum: number | null
  readonly memory_max: number | null
  readonly disk_max: number | null
  readonly rx_bytes: number | null
  readonly tx_bytes: number | null
}

export type HostBucket = Interval & HostFigures

export const HOST_HISTORY = makeSeries<HostBucket, null>('host_bucket', null, {
  cpu_count: 'sum',
  cpu_sum: 'sum',
  cpu_max: 'max',
  memory_count: 'sum',
  memory_sum: 'sum',
  memory_max: 'max',
  disk_max: 'max',
  rx_bytes: 'sum',
  tx_bytes: 'sum',
})

/** What could not be read is no zero. `seconds`: since the reading before. */
export function figuresOf({ cpu, memory, disks, network, errors }: HostReading, seconds: number): HostFigures {
  const failed = new Set(errors.map(({ part }) => part))
  const [processors] = cpu
  const cpu_max = failed.has('cpu') || !processors ? null : Math.round(processors.usage_percent * 100)
  const memory_max = failed.has('memory') ? null : Math.round(memory.used_percent * 100)
  // A read-only one is full for good.
  const fill = disks.filter(({ is_read_only }) => !is_read_only).map(({ used_percent }) => used_percent)
  const bytes = (rate: number): number | null => (failed.has('network') ? null : Math.round(rate * seconds))
  return {
    cpu_count: cpu_max === null ? null : 1,
    cpu_sum: cpu_max,
    cpu_max,
    memory_count: memory_max === null ? null : 1,
    memory_sum: memory_max,
    memory_max,
    disk_max: fill.length === 0 ? null : Math.round(Math.max(...fill) * 100),
    rx_bytes: bytes(network.totals.rx_bytes_per_second),
    tx_bytes: bytes(network.totals.tx_bytes_per_second),
  }
}

export function toHostPoint(bucket: HostBucket, samples: number): HostPoint {
  const mean = (sum: number | null, count: number | null): number | null =>
    sum === null || count === null ? null : inPercent(sum / count)
  return {
    bucket_start: new Date(bucket.bucket_start * 1000).toISOString(),
    cpu_avg_percent: mean(bucket.cpu_sum, bucket.cpu_count),
    cpu_max_percent: inPercent(bucket.cpu_max),
    memory_avg_percent: mean(bucket.memory_sum, bucket.memory_count),
    memory_max_percent: inPercent(bucket.memory_max),
    disk_max_percent: inPercent(bucket.disk_max),
    rx_bytes: bucket.rx_bytes,
    tx_bytes: bucket.tx_bytes,
    samples,
  }
}

const inPercent = (value: number | null): number | null => (value === null ? null : hundredths(value / 100))
