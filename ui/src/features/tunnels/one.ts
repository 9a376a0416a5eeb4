// One tunnel by the id in the address, asked again while it is looked at.
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { asked } from '../../core/query.svelte.ts'

export const oneTunnel = (id: string | undefined) => ({
  ...asked<TunnelView>(`/tunnels/${encodeURIComponent(id ?? '')}`),
  refetchInterval: 15_000,
})
