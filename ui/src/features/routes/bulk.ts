// Actions on many rules.
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { BulkAction, Impact } from '../../components/list/bulk.svelte.ts'
import { call } from '../../core/api.ts'
import { t } from '../../core/i18n.svelte.ts'

/** Those in force, and their open connections as of the last reading. */
export const impactOf = (rules: readonly RouteItem[]): Impact => {
  const inForce = rules.filter(({ route }) => route.is_enabled)
  const counts = inForce.map(({ active_connections }) => active_connections)
  return {
    relays: inForce.length,
    connections: counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  }
}

const enable = ({ route_rule_id: id }: RouteItem): Promise<unknown> => call('POST /routes/{id}/enable', { id })
const disable = ({ route_rule_id: id }: RouteItem): Promise<unknown> => call('POST /routes/{id}/disable', { id })

export const bulkActions = (): BulkAction<RouteItem>[] => [
  { id: 'enable', icon: 'play', applies: ({ route }) => !route.is_enabled, work: enable, undo: disable },
  {
    id: 'disable',
    icon: 'power',
    effect: t('list.effect.disable'),
    applies: ({ route }) => route.is_enabled,
    impact: (rules) => Promise.resolve(impactOf(rules)),
    work: disable,
    undo: enable,
  },
  { id: 'reapply', icon: 'refresh', work: ({ route_rule_id: id }) => call('POST /routes/{id}/reapply', { id }) },
  {
    id: 'delete',
    icon: 'trash',
    effect: t('list.effect.delete'),
    impact: (rules) => Promise.resolve(impactOf(rules)),
    work: ({ route_rule_id: id }) => call('DELETE /routes/{id}', { id }),
  },
]
