// The points of a stored history as charts show them.
import type { ByteCount } from './rates.ts'

interface Stored {
  readonly bucket_start: string
}

/** Seconds since 1970. */
export const startOf = ({ bucket_start }: Stored): number => Date.parse(bucket_start) / 1000

/** A null follows what nothing was stored after, so that no line crosses the gap. */
export const withGaps = <P extends Stored>(
  points: readonly P[],
  resolution_seconds: number,
): { readonly times: number[]; readonly points: (P | null)[] } => {
  const filled = points.flatMap((point, at): [number, P | null][] => {
    const [start, next] = [startOf(point), points[at + 1]]
    const isGap = next !== undefined && startOf(next) > start + resolution_seconds
    return isGap
      ? [
          [start, point],
          [start + resolution_seconds, null],
        ]
      : [[start, point]]
  })
  return { times: filled.map(([time]) => time), points: filled.map(([, point]) => point) }
}

export const countsOf = (points: readonly (Stored & Omit<ByteCount, 'start'>)[]): ByteCount[] =>
  points.map((point) => ({ start: startOf(point), rx_bytes: point.rx_bytes, tx_bytes: point.tx_bytes }))
