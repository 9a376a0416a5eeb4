// When a backup is due by the setting backup.interval.
import type { Stored } from './store.ts'

type Interval = 'off' | keyof typeof EVERY_MS

const HOUR_MS = 3_600_000
const EVERY_MS = { daily: 24 * HOUR_MS, weekly: 7 * 24 * HOUR_MS } as const

/** One that failed is tried again each hour. A time ahead is one of a clock that was wrong. */
export function isDue({ tried_date, last_error }: Stored, interval: Interval, now: Date): boolean {
  if (interval === 'off') return false
  if (tried_date === null) return true
  const passed = now.getTime() - Date.parse(tried_date)
  return passed < 0 || passed >= (last_error ? HOUR_MS : EVERY_MS[interval])
}
