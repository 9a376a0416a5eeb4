// Actions on a pool, and on many.
import type { PoolView } from '@panel/shared/api/pools.ts'
import type { BulkAction } from '../../components/list/bulk.svelte.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'

export const STALE: readonly string[] = ['/pools']

const bodyOf = ({ address_pool_title, cidr, prefix_length, description, is_enabled }: PoolView) => ({
  address_pool_title,
  cidr,
  prefix_length,
  description,
  is_enabled,
})
const remove = ({ address_pool_id: id }: PoolView): Promise<unknown> => call('DELETE /pools/{id}', { id })
/** Under a new id. */
const recreate = (pool: PoolView): Promise<unknown> => call('POST /pools', { body: bodyOf(pool) })
const setEnabled = (pool: PoolView, is_enabled: boolean): Promise<unknown> =>
  call('PUT /pools/{id}', { id: pool.address_pool_id, body: { ...bodyOf(pool), is_enabled } })
const enable = (pool: PoolView): Promise<unknown> => setEnabled(pool, true)
const disable = (pool: PoolView): Promise<unknown> => setEnabled(pool, false)

export const bulkActions = (): BulkAction<PoolView>[] => [
  { id: 'enable', icon: 'play', applies: ({ is_enabled }) => !is_enabled, work: enable, undo: disable },
  {
    id: 'disable',
    icon: 'power',
    effect: t('pools.effect.disable'),
    applies: ({ is_enabled }) => is_enabled,
    work: disable,
    undo: enable,
  },
  {
    id: 'delete',
    icon: 'trash',
    effect: t('pools.effect.delete'),
    applies: ({ in_use }) => !in_use,
    work: remove,
    undo: recreate,
  },
]

/** The server refuses to delete a pool in use. */
export const deletePool = async (pool: PoolView): Promise<void> => {
  const { address_pool_title, cidr } = pool
  if (
    !(await confirm({
      title: t('pools.delete.title', { title: address_pool_title }),
      text: t('pools.delete.text', { cidr }),
      action: t('core.action.delete'),
      isDanger: true,
      isTried: true,
    }))
  )
    return
  const title = { title: address_pool_title }
  const outcomes = { done: t('pools.done.deleted', title), failing: t('pools.failing.delete', title) }
  await act(outcomes, () => remove(pool), { undo: () => recreate(pool), stale: STALE })
}
