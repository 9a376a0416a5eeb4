// What the tunnels tell the address pools: who takes from them, and what the next one would get.
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { Problems } from '../../platform/http/problems.ts'
import type { PoolUse } from '../pools/use.ts'
import { allocate } from './draft/allocate.ts'
import { makeDraftContext } from './draft/context.ts'
import { poolUsers, releasePool } from './store-pool-use.ts'

export const poolUse: PoolUse = {
  users: poolUsers,
  release: releasePool,
  /** Allocates like a tunnel that names nothing but its pool. */
  nextFree: async (context, pool) => {
    const { address_pool_id } = pool
    const sketch = await makeDraftContext(context, { address_pool_id }, new Problems())
    return allocate(sketch, kindOfType(context.settings.get('tunnel.default_type')), [pool], {
      local: null,
      remote: null,
    })
  },
}
