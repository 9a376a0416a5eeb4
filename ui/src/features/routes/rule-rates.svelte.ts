// The throughput of a rule in the last minutes: what the server has read, and after it what this tab has.
import { ruleRates } from '../../components/chart/live-rates.svelte.ts'
import { joinRates, readingsOf, type RatePoint } from '../../components/chart/rates.ts'
import { endpoint, createQuery } from '../../core/query.svelte.ts'

/** Call in a component's script; the stream of metrics has to be open. */
export const recentRates = (id: number, enabled = (): boolean => true): { readonly rates: readonly RatePoint[] } => {
  const before = createQuery(() => ({
    ...endpoint('GET /routes/{id}/traffic', { id, query: { points: 120 } }),
    refetchInterval: 60_000,
    enabled: enabled(),
  }))
  const rates = $derived(joinRates(readingsOf(before.data?.points ?? []), ruleRates(id)))
  return {
    get rates() {
      return rates
    },
  }
}
