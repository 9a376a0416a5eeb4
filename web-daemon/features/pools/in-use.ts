// Refuses to change a pool while tunnels use it: 409 CONFLICT with their names (decisions.md, R33, section 4).
import { message } from '@panel/shared/messages/message.ts'
import { poolNamed, tunnelNamed } from '@panel/shared/messages/named.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { PoolRecord } from './store.ts'
import type { PoolUser } from './use.ts'

const MOST_NAMED = 10

export function refuseInUse(
  pool: PoolRecord,
  users: readonly PoolUser[] = [],
  hence: 'pool.in_use_not_deleted' | 'pool.in_use_range' | 'pool.in_use_length',
  field = '',
): void {
  if (users.length === 0) return
  const named = users.slice(0, MOST_NAMED).map(tunnelNamed)
  const count = users.length - named.length
  const tunnels = count > 0 ? message('pool.and_more', { tunnels: named, count }) : named
  throw new Refusal('CONFLICT', message(hence, { pool: poolNamed(pool), cidr: pool.cidr, tunnels }), {
    field,
    details: { tunnels: users },
  })
}
