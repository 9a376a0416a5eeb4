// Takes an address pool away, after saying what follows.
import type { PoolView } from '@panel/shared/api/pools.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'

/** A pool in use is refused by the server, which names its tunnels. What is gone can be made again as it was, under another id. */
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
  await act(t('pools.done.deleted', { title: address_pool_title }), () => call('DELETE /pools/{id}', { id }), {
    undo: () => call('POST /pools', { body: { address_pool_title, cidr, prefix_length, description, is_enabled } }),
    stale: ['/pools'],
    failing: t('pools.failing.delete', { title: address_pool_title }),
  })
}
