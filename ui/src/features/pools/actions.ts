// Deletes an address pool after confirmation.
import type { PoolView } from '@panel/shared/api/pools.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'

/** The server refuses to delete a pool in use. Undo recreates it under a new id. */
export const deletePool = async ({
  address_pool_id: id,
  address_pool_title,
  cidr,
  prefix_length,
  description,
  is_enabled,
}: PoolView): Promise<void> => {
  if (
    !(await confirm({
      title: t('pools.delete.title', { title: address_pool_title }),
      text: t('pools.delete.text', { cidr }),
      action: t('core.action.delete'),
      isDanger: true,
    }))
  )
    return
  const title = { title: address_pool_title }
  const outcomes = { done: t('pools.done.deleted', title), failing: t('pools.failing.delete', title) }
  await act(outcomes, () => call('DELETE /pools/{id}', { id }), {
    undo: () => call('POST /pools', { body: { address_pool_title, cidr, prefix_length, description, is_enabled } }),
    stale: ['/pools'],
  })
}
