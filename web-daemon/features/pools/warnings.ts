// Warnings about a pool that is accepted (decisions.md, T19, R35).
import { overlaps, parseCidr } from '@panel/shared/address/ip.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { message } from '@panel/shared/messages/message.ts'
import { poolNamed, poolWithRange } from '@panel/shared/messages/named.ts'
import type { PoolRecord } from './store.ts'

export function publicRangeWarnings(pool: PoolRecord): Warning[] {
  return pool.is_public_range
    ? [
        {
          code: 'PUBLIC_RANGE_WARNING',
          ...message('pool.public', { pool: poolNamed(pool), cidr: pool.cidr }),
          field: 'cidr',
        },
      ]
    : []
}

export function poolWarnings(pool: PoolRecord, all: readonly PoolRecord[]): Warning[] {
  const rivals = all.filter((other) => other.address_pool_id !== pool.address_pool_id && isOverlap(pool, other))
  const pools = rivals.map(poolWithRange)
  const overlapping: Warning = {
    code: 'POOL_OVERLAPS_POOL',
    ...message('pool.overlaps', { cidr: pool.cidr, pools }),
    field: 'cidr',
  }
  return [...publicRangeWarnings(pool), ...(rivals.length > 0 ? [overlapping] : [])]
}

function isOverlap(a: PoolRecord, b: PoolRecord): boolean {
  const one = parseCidr(a.cidr)
  const other = parseCidr(b.cidr)
  return one !== null && other !== null && overlaps(one, other)
}
