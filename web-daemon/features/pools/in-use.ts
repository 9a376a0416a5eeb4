// Refuses to change a pool while tunnels use it: 409 CONFLICT with their names (decisions.md, R33, section 4).
import { verbatim } from '@panel/shared/messages/message.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { PoolRecord } from './store.ts'
import type { PoolUser } from './use.ts'

const MOST_NAMED = 10

export function refuseInUse(
  { address_pool_title, cidr }: PoolRecord,
  users: readonly PoolUser[] = [],
  hence: string,
  field = '',
): void {
  if (users.length === 0) return
  const named = users.slice(0, MOST_NAMED).map(({ interface_name }) => interface_name)
  const more = users.length > named.length ? ` and ${users.length - named.length} more` : ''
  throw new Refusal(
    'CONFLICT',
    verbatim(`${address_pool_title} (${cidr}) is in use by ${named.join(', ')}${more}: ${hence}.`),
    {
      field,
      details: { tunnels: users },
    },
  )
}
