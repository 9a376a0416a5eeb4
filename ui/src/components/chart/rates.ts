// Throughput over time: what was stored, and after it what the live stream brought.

export interface RatePoint {
  /** Seconds since 1970. */
  readonly time: number
  /** Bytes per second; null: not counted. */
  readonly rx: number | null
  readonly tx: number | null
}

export interface ByteCount {
  /** Seconds since 1970. */
  readonly start: number
  readonly rx_bytes: number | null
  readonly tx_bytes: number | null
}

/** An interval that began less than so many seconds ago says nothing about a rate. */
const SHORTEST_S = 10

/**
 * Rates of intervals of that length, the last of which is counted up to `to`; a null follows an interval with nothing
 * stored after it.
 */
export const ratesOf = (counts: readonly ByteCount[], interval: number, to: number): RatePoint[] =>
  counts.flatMap(({ start, rx_bytes, tx_bytes }, at): RatePoint[] => {
    const seconds = Math.min(interval, to - start)
    if (seconds < Math.min(SHORTEST_S, interval)) return []
    const rate = (bytes: number | null): number | null => (bytes === null ? null : bytes / seconds)
    const point = { time: start, rx: rate(rx_bytes), tx: rate(tx_bytes) }
    const next = counts[at + 1]
    const isGap = next !== undefined && next.start > start + interval
    return isGap ? [point, { time: start + interval, rx: null, tx: null }] : [point]
  })

/** Readings as the API answers them. */
export const readingsOf = (
  points: readonly {
    readonly at: string
    readonly rx_bytes_per_second: number
    readonly tx_bytes_per_second: number
  }[],
): RatePoint[] =>
  points.map(({ at, rx_bytes_per_second: rx, tx_bytes_per_second: tx }) => ({ time: Date.parse(at) / 1000, rx, tx }))

/** Kept readings up to the first of this tab, and these. Instants of one form sort as texts. */
export const joinReadings = <T extends { readonly at: string }>(kept: readonly T[], recent: readonly T[]): T[] => {
  const first = recent[0]?.at
  return [...(first === undefined ? kept : kept.filter(({ at }) => at < first)), ...recent]
}

/** Stored points up to the first live one, and the live ones from there. */
export const joinRates = (stored: readonly RatePoint[], live: readonly RatePoint[]): RatePoint[] => {
  const first = live[0]?.time ?? Infinity
  return [...stored.filter(({ time }) => time < first), ...live]
}
