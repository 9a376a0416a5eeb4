// Reads and writes the stored address pools.
import { isPublicRange } from '@panel/shared/address/special.ts'
import { parseCidr } from '@panel/shared/address/ip.ts'
import type { Selectable } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { AddressPoolTable } from './table.ts'

export interface PoolRecord {
  readonly address_pool_id: number
  readonly address_pool_title: string
  readonly description: string
  readonly cidr: string
  readonly prefix_length: number
  readonly is_enabled: boolean
  readonly is_public_range: boolean
}

export type NewPool = Omit<PoolRecord, 'address_pool_id' | 'is_public_range'>

/** All pools by id, which is the order in which they are tried. */
export async function allPools(db: ReadDb): Promise<PoolRecord[]> {
  const rows = await db.selectFrom('address_pool').selectAll().orderBy('address_pool_id').execute()
  return rows.map(toRecord)
}

export async function findPool(db: ReadDb, address_pool_id: number): Promise<PoolRecord | null> {
  const row = await db
    .selectFrom('address_pool')
    .selectAll()
    .where('address_pool_id', '=', address_pool_id)
    .executeTakeFirst()
  return row ? toRecord(row) : null
}

/** Returns the new id, or the one that it gets again. */
export async function insertPool(db: WriteDb, pool: NewPool, now: string, reviving?: number): Promise<number> {
  const id = reviving === undefined ? {} : { address_pool_id: reviving }
  const row = { ...id, ...pool, is_enabled: Number(pool.is_enabled), created_date: now, updated_date: now }
  const { insertId } = await db.insertInto('address_pool').values(row).executeTakeFirstOrThrow()
  return Number(insertId)
}

export async function updatePool(db: WriteDb, address_pool_id: number, pool: NewPool, now: string): Promise<void> {
  const row = { ...pool, is_enabled: Number(pool.is_enabled), updated_date: now }
  await db.updateTable('address_pool').set(row).where('address_pool_id', '=', address_pool_id).execute()
}

export async function deletePool(db: WriteDb, address_pool_id: number): Promise<void> {
  await db.deleteFrom('address_pool').where('address_pool_id', '=', address_pool_id).execute()
}

/** Whether a pool is public is measured, never stored. */
export function withRange<P extends NewPool>(pool: P): P & Pick<PoolRecord, 'is_public_range'> {
  const range = parseCidr(pool.cidr)
  if (!range) throw new RangeError(`A pool has ${pool.cidr} for a range`)
  return { ...pool, is_public_range: isPublicRange(range) }
}

function toRecord(row: Selectable<AddressPoolTable>): PoolRecord {
  return withRange({
    address_pool_id: row.address_pool_id,
    address_pool_title: row.address_pool_title,
    description: row.description,
    cidr: row.cidr,
    prefix_length: row.prefix_length,
    is_enabled: row.is_enabled === 1,
  })
}
