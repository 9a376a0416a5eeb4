// Warnings about a pool that is accepted (decisions.md, T19, R35).
import { overlaps, parseCidr } from '@panel/shared/address/ip.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { PoolRecord } from './store.ts'

export function publicRangeWarnings({ address_pool_title, cidr, is_public_range }: PoolRecord): Warning[] {
  return is_public_range
    ? [
        {
          code: 'PUBLIC_RANGE_WARNING',
          ...message('pool.public', { pool: address_pool_title, cidr }),
          field: 'cidr',
        },
      ]
    : []
}

export function poolWarnings(pool: PoolRecord, all: readonly PoolRecord[]): Warning[] {
  const rivals = all.filter((other) => other.address_pool_id !== pool.address_pool_id && isOverlap(pool, other))
  const names = rivals.map(({ address_pool_title, cidr }) => `${address_pool_title} (${cidr})`)
  const overlapping: Warning = {
    code: 'POOL_OVERLAPS_POOL',
    ...message('pool.overlaps', { cidr: pool.cidr, pools: names.join(', ') }),
    field: 'cidr',
  }
  return [...publicRangeWarnings(pool), ...(rivals.length > 0 ? [overlapping] : [])]
}

function isOverlap(a: PoolRecord, b: PoolRecord): boolean {
  const one = parseCidr(a.cidr)
  const other = parseCidr(b.cidr)
  return one !== null && other !== null && overlaps(one, other)
}
