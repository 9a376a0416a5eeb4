// One tunnel by the id in the address, asked again while it is looked at.
import { endpoint } from '../../core/query.svelte.ts'

export const tunnelQuery = (id: string | undefined) => ({
  ...endpoint('GET /tunnels/{id}', { id: id ?? '' }),
  refetchInterval: 15_000,
})
