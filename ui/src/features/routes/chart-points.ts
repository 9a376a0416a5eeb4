// Traffic buckets as chart points; missing buckets are zero.
import type { TrafficBucket } from '@panel/shared/api/routes/traffic.ts'

export interface Points {
  readonly times: number[]
  readonly tx: number[]
  readonly rx: number[]
}

/** Bytes per second; `from` and `to` in seconds since 1970. */
export const chartPoints = (
  samples: readonly TrafficBucket[],
  { from, to, interval }: { from: number; to: number; interval: number },
): Points => {
  const points: Points = { times: [], tx: [], rx: [] }
  const put = (time: number, tx: number, rx: number): void => {
    if (time <= (points.times.at(-1) ?? -Infinity)) return
    points.times.push(time)
    points.tx.push(tx)
    points.rx.push(rx)
  }
  // The first and last bucket can be partial.
  const rates = samples.map(({ bucket_start_date, tx_bytes, rx_bytes }) => {
    const start = Date.parse(bucket_start_date) / 1000
    const time = Math.max(start, from)
    const seconds = Math.max(1, Math.min(start + interval, to) - time)
    return { time, tx: tx_bytes / seconds, rx: rx_bytes / seconds }
  })
  if (rates[0]?.time !== from) put(from, 0, 0)
  for (const { time, tx, rx } of rates) {
    if (time - (points.times.at(-1) ?? from) > interval) {
      put((points.times.at(-1) ?? from) + interval, 0, 0)
      put(time - interval, 0, 0)
    }
    put(time, tx, rx)
  }
  const last = points.times.at(-1) ?? from
  if (to - last > 2 * interval) {
    put(last + interval, 0, 0)
    put(to - interval, 0, 0)
  }
  return points
}
