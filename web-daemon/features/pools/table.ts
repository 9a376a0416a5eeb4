// The address pools, as Kysely sees them.
import type { Generated } from 'kysely'

/** Whether a range is public is computed from `cidr` when it is read, so it is not a column. */
export interface AddressPoolTable {
  address_pool_id: Generated<number>
  address_pool_title: string
  description: string
  cidr: string
  prefix_length: number
  is_enabled: number
  created_date: string
  updated_date: string
}

export interface PoolTables {
  address_pool: AddressPoolTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends PoolTables {}
}
