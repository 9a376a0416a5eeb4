// Which tunnels have their addresses from which pool, as the store knows it.
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { PoolUser } from '../pools/use.ts'

export async function poolUsers(db: ReadDb): Promise<Map<number, PoolUser[]>> {
  const rows = await db
    .selectFrom('tunnel')
    .select(['address_pool_id', 'tunnel_id', 'interface_name'])
    .where('deleted_date', 'is', null)
    .where('address_pool_id', 'is not', null)
    .orderBy('tunnel_id')
    .execute()
  const users = new Map<number, PoolUser[]>()
  for (const { address_pool_id, ...user } of rows) {
    if (address_pool_id === null) continue
    const others = users.get(address_pool_id)
    if (others) others.push(user)
    else users.set(address_pool_id, [user])
  }
  return users
}

/** Releases the pool from deleted tunnels: a living one's reference holds it in its place (foreign key). */
export async function releasePool(db: WriteDb, address_pool_id: number): Promise<void> {
  await db
    .updateTable('tunnel')
    .set({ address_pool_id: null })
    .where('address_pool_id', '=', address_pool_id)
    .where('deleted_date', 'is not', null)
    .execute()
}
