// The subnet that the next tunnel from a pool would get; nothing is reserved (interface.md, GET /pools/{id}/next-free;
// decisions.md, R34).
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import type { NextFreeAnswer } from '@panel/shared/api/pools.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { capacityOf, endsOf } from './allocation.ts'
import { poolIn } from './get.ts'
import { checkLength } from './range.ts'
import type { PoolRecord } from './store.ts'
import type { PoolUse } from './use.ts'
import { publicRangeWarnings } from './warnings.ts'

export const nextFree =
  ({ nextFree }: PoolUse) =>
  async (context: ReadContext, incoming: Incoming): Promise<Answer<NextFreeAnswer>> => {
    const pool = withLength(await poolIn(context.db, incoming.params), incoming)
    const { number, subnet } = await nextFree(context, pool)
    const { address_pool_id, address_pool_title, prefix_length, is_public_range } = pool
    const { scheme } = capacityOf(pool)
    const allocation = {
      subnet: formatCidr(subnet),
      tunnel_number: number,
      ...endsOf(subnet),
      address_pool_id,
      address_pool_title,
      prefix_length,
      scheme,
      is_public_range,
    }
    const answer: NextFreeAnswer = { allocation, warnings: publicRangeWarnings(pool) }
    return ok(answer)
  }

/** The pool as if it were divided into subnets of another length. */
function withLength(pool: PoolRecord, { query, problems }: Incoming): PoolRecord {
  const text = query['prefix_length'] ?? ''
  const range = parseCidr(pool.cidr)
  if (text === '' || !range) return pool
  const prefix_length = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  checkLength(range, prefix_length, problems)
  problems.throwIfAny()
  return { ...pool, prefix_length }
}
