// The readings of the host in the last minutes: what the server has kept, and after it what the stream has brought.
import { metrics, type Reading } from '../../core/live.svelte.ts'
import { endpoint, createQuery, type Query } from '../../core/query.svelte.ts'
import type { MetricsHistoryAnswer } from '@panel/shared/api/metrics.ts'
import { joinReadings } from './rates.ts'

/** The number of readings that a chart of a page begins with; without interfaces and rules some ten KB on the wire. */
export const SEEDED = 120

/** Call in a component's script; components of a page share one request. */
export const createReadings = (): {
  readonly query: Query<MetricsHistoryAnswer>
  /** Oldest first. */
  readonly all: readonly Reading[]
} => {
  const query = createQuery(() => endpoint('GET /system/metrics/history', { query: { limit: SEEDED, detail: 'host' } }))
  const all = $derived(joinReadings(query.data?.points ?? [], metrics.timeline))
  return {
    query,
    get all() {
      return all
    },
  }
}
