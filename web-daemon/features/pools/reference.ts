// The setting that names the default pool: it names one that tunnels can take from, and the pool stays one while it
// does.
import { message, type Message } from '@panel/shared/messages/message.ts'
import { poolNamed } from '@panel/shared/messages/named.ts'
import type { ReadDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { findPool, type PoolRecord } from './store.ts'

const DEFAULT_POOL = 'addressing.default_pool_id'

type Usable = Pick<PoolRecord, 'address_pool_title' | 'cidr' | 'is_enabled' | 'is_public_range'>

/** The error for the operator; null if the pool can be the default, or none is named. */
export async function whyNoDefaultPool(db: ReadDb, address_pool_id: number | null): Promise<Message | null> {
  if (address_pool_id === null) return null
  const pool = await findPool(db, address_pool_id)
  return pool ? whyUnusable(pool) : message('pool.not_found', { pool_id: address_pool_id })
}

function whyUnusable(pool: Usable & { address_pool_id: number }): Message | null {
  const named = { pool: poolNamed(pool), cidr: pool.cidr }
  if (pool.is_public_range) return message('pool.default_public', named)
  return pool.is_enabled ? null : message('pool.default_disabled', named)
}

/** `wanted`: what the pool is to become; null where it is to go. */
export function refuseIfDefault(settings: SettingsReader, pool: PoolRecord, wanted: Usable | null): void {
  if (settings.get(DEFAULT_POOL) !== pool.address_pool_id) return
  const why = wanted
    ? whyUnusable({ ...wanted, address_pool_id: pool.address_pool_id })
    : message('pool.default_deleted', { pool: poolNamed(pool), cidr: pool.cidr })
  if (why === null) return
  throw new Refusal('CONFLICT', message('pool.is_default', { field: DEFAULT_POOL, why }), {
    field: wanted && !wanted.is_enabled && !wanted.is_public_range ? 'is_enabled' : '',
    details: { setting: DEFAULT_POOL },
  })
}
