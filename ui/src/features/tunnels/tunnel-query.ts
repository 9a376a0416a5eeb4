// Query of one tunnel by its id in the address, refreshed while shown.
import { endpoint } from '../../core/query.svelte.ts'

export const tunnelQuery = (id: string | undefined) => ({
  ...endpoint('GET /tunnels/{id}', { id: id ?? '' }),
  refetchInterval: 15_000,
})
