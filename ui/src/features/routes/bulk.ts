// Actions on many rules.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { Foreseeable } from '@panel/shared/api/impact/impact.ts'
import type { BulkAction } from '../../components/list/bulk.svelte.ts'
import { call } from '../../core/api.ts'
import { t } from '../../core/i18n.svelte.ts'

const enable = ({ route_rule_id: id }: RouteItem): Promise<unknown> => call('POST /routes/{id}/enable', { id })
const disable = ({ route_rule_id: id }: RouteItem): Promise<unknown> => call('POST /routes/{id}/disable', { id })

const post =
  (what: string) =>
  ({ route_rule_id }: RouteItem): Foreseeable => ({ method: 'POST', path: `/routes/${route_rule_id}/${what}` })

export const bulkActions = (): BulkAction<RouteItem>[] => [
  {
    id: 'enable',
    icon: 'play',
    applies: ({ route }) => !route.is_enabled,
    request: post('enable'),
    work: enable,
    undo: disable,
  },
  {
    id: 'disable',
    icon: 'power',
    effect: t('list.effect.disable'),
    applies: ({ route }) => route.is_enabled,
    request: post('disable'),
    work: disable,
    undo: enable,
  },
  {
    id: 'reapply',
    icon: 'refresh',
    request: post('reapply'),
    work: ({ route_rule_id: id }) => call('POST /routes/{id}/reapply', { id }),
  },
  {
    id: 'delete',
    icon: 'trash',
    effect: t('list.effect.delete'),
    request: ({ route_rule_id }) => ({ method: 'DELETE', path: `/routes/${route_rule_id}` }),
    work: ({ route_rule_id: id }) => call('DELETE /routes/{id}', { id }),
  },
]
