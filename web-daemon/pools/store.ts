// Reads the stored address pools.
import { isPublicRange } from '@panel/shared/address/special.ts'
import { parseCidr } from '@panel/shared/address/ip.ts'
import type { Selectable } from 'kysely'
import type { ReadDb } from '../context.ts'
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

/** In the order of their ids, which is the order in which they are tried. */
export async function allPools(db: ReadDb): Promise<PoolRecord[]> {
  const rows = await db.selectFrom('address_pool').selectAll().orderBy('address_pool_id').execute()
  return rows.map(recordOf)
}

function recordOf(row: Selectable<AddressPoolTable>): PoolRecord {
  const range = parseCidr(row.cidr)
  if (!range) throw new RangeError(`Pool ${row.address_pool_id} has ${row.cidr} for a range`)
  return {
    address_pool_id: row.address_pool_id,
    address_pool_title: row.address_pool_title,
    description: row.description,
    cidr: row.cidr,
    prefix_length: row.prefix_length,
    is_enabled: row.is_enabled === 1,
    is_public_range: isPublicRange(range),
  }
}
