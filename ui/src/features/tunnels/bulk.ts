// Actions on many tunnels.
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { BulkAction, Impact } from '../../components/list/bulk.svelte.ts'
import { call } from '../../core/api.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { impactOf } from '../routes/bulk.ts'
import { send } from './actions.ts'

/** By the way that the packets of the rules take, whatever tunnel is stored with them. */
const impact = async (tunnels: readonly TunnelView[]): Promise<Impact> => {
  const ids = new Set(tunnels.map(({ tunnel_id }) => tunnel_id))
  const { routes, total } = await call('GET /routes', { query: { limit: 1000 } })
  if (total > routes.length) throw new Error('One answer does not hold all rules, so the impact is not known')
  return impactOf(
    routes.filter(
      ({ route, health }) =>
        ids.has(route.tunnel_id ?? 0) || health.destinations.some(({ tunnel }) => tunnel && ids.has(tunnel.tunnel_id)),
    ),
  )
}

export const bulkActions = (): BulkAction<TunnelView>[] => [
  {
    id: 'enable',
    icon: 'play',
    applies: ({ is_enabled }) => !is_enabled,
    work: (tunnel) => send(tunnel, 'up'),
    undo: (tunnel) => send(tunnel, 'down'),
  },
  {
    id: 'disable',
    icon: 'power',
    effect: t('list.effect.disable'),
    applies: ({ is_enabled }) => is_enabled,
    impact,
    work: (tunnel) => send(tunnel, 'down'),
    undo: (tunnel) => send(tunnel, 'up'),
  },
  { id: 'reapply', icon: 'check', work: (tunnel) => send(tunnel, 'reapply') },
  {
    id: 'restart',
    icon: 'refresh',
    effect: t('list.effect.restart'),
    impact,
    work: (tunnel) => send(tunnel, 'restart'),
  },
  {
    id: 'delete',
    icon: 'trash',
    effect: t('list.effect.delete'),
    impact,
    work: ({ tunnel_id: id }) => withAccessCheck('DELETE /tunnels/{id}', { id }),
  },
]
