// Actions on many tunnels.
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { Foreseeable } from '@panel/shared/api/impact/impact.ts'
import type { BulkAction } from '../../components/list/bulk.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { withAccessCheck } from '../../core/own-access.ts'
import { send } from './actions.ts'

const post =
  (what: string) =>
  ({ tunnel_id }: TunnelView): Foreseeable => ({ method: 'POST', path: `/tunnels/${tunnel_id}/${what}` })

export const bulkActions = (): BulkAction<TunnelView>[] => [
  {
    id: 'enable',
    icon: 'play',
    applies: ({ is_enabled }) => !is_enabled,
    request: post('up'),
    work: (tunnel) => send(tunnel, 'up'),
    undo: (tunnel) => send(tunnel, 'down'),
  },
  {
    id: 'disable',
    icon: 'power',
    effect: t('list.effect.disable'),
    applies: ({ is_enabled }) => is_enabled,
    request: post('down'),
    work: (tunnel) => send(tunnel, 'down'),
    undo: (tunnel) => send(tunnel, 'up'),
  },
  { id: 'reapply', icon: 'check', request: post('reapply'), work: (tunnel) => send(tunnel, 'reapply') },
  {
    id: 'restart',
    icon: 'refresh',
    effect: t('list.effect.restart'),
    request: post('restart'),
    work: (tunnel) => send(tunnel, 'restart'),
  },
  {
    id: 'delete',
    icon: 'trash',
    effect: t('list.effect.delete'),
    request: ({ tunnel_id }) => ({ method: 'DELETE', path: `/tunnels/${tunnel_id}` }),
    work: ({ tunnel_id: id }) => withAccessCheck('DELETE /tunnels/{id}', { id }),
  },
]
