// The setting that names the default pool: it names one that tunnels can take from, and the pool stays one while it does.
import { verbatim } from '@panel/shared/messages/message.ts'
import type { ReadDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import { findPool, type PoolRecord } from './store.ts'

const DEFAULT_POOL = 'addressing.default_pool_id'

type Usable = Pick<PoolRecord, 'address_pool_title' | 'cidr' | 'is_enabled' | 'is_public_range'>

/** The error for the operator; null if the pool can be the default, or none is named. */
export async function whyNoDefaultPool(db: ReadDb, address_pool_id: number | null): Promise<string | null> {
  if (address_pool_id === null) return null
  const pool = await findPool(db, address_pool_id)
  return pool ? whyUnusable(pool) : `There is no pool ${address_pool_id}.`
}

function whyUnusable({ address_pool_title, cidr, is_enabled, is_public_range }: Usable): string | null {
  const name = `${address_pool_title} (${cidr})`
  if (is_public_range) return `${name} holds public addresses of others, so no tunnel takes from it unless told to.`
  return is_enabled ? null : `${name} is disabled, so no tunnel takes from it: enable it first.`
}

/** `wanted`: what the pool is to become; null where it is to go. */
export function refuseIfDefault(settings: SettingsReader, pool: PoolRecord, wanted: Usable | null): void {
  if (settings.get(DEFAULT_POOL) !== pool.address_pool_id) return
  const { address_pool_title, cidr } = pool
  const why = wanted ? whyUnusable(wanted) : `${address_pool_title} (${cidr}) cannot be deleted.`
  if (why === null) return
  throw new Refusal(
    'CONFLICT',
    verbatim(`The setting ${DEFAULT_POOL} names this pool; give it another value first. ${why}`),
    {
      field: wanted && !wanted.is_enabled && !wanted.is_public_range ? 'is_enabled' : '',
      details: { setting: DEFAULT_POOL },
    },
  )
}
