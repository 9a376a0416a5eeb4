// The buckets of a rule's history as points of a chart: what is left out because nothing moved is a zero, and is drawn as one.
import type { TrafficBucket } from '@panel/shared/api/route-answers.ts'

export interface Points {
  readonly times: number[]
  readonly tx: number[]
  readonly rx: number[]
}

/** Bytes a second over each interval; `from` and `to` in seconds since 1970. */
export const pointsOf = (samples: readonly TrafficBucket[], { from, to, interval }: { from: number; to: number; interval: number }): Points => {
  const points: Points = { times: [], tx: [], rx: [] }
  const put = (time: number, tx: number, rx: number): void => {
    if (time <= (points.times.at(-1) ?? -Infinity)) return
    points.times.push(time)
    points.tx.push(tx / interval)
    points.rx.push(rx / interval)
  }
  put(from, 0, 0)
  for (const { bucket_start_date, tx_bytes, rx_bytes } of samples) {
    const start = Date.parse(bucket_start_date) / 1000
    if (start - (points.times.at(-1) ?? from) > interval) {
      put((points.times.at(-1) ?? from) + interval, 0, 0)
      put(start - interval, 0, 0)
    }
    put(start, tx_bytes, rx_bytes)
  }
  const last = points.times.at(-1) ?? from
  if (to - last > 2 * interval) {
    put(last + interval, 0, 0)
    put(to - interval, 0, 0)
  }
  return points
}
