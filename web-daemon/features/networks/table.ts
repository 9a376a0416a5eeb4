// The stored networks, as kysely sees them: one row per network that ever was, one per path and own address of those
// that are.
import type { NetworkColumns } from '@panel/shared/api/networks/fields.ts'
import type { Generated, Insertable, Selectable } from 'kysely'

/** Columns bear the names of the wire. A flag is 0 or 1. */
export interface NetworkTable extends Omit<NetworkColumns, 'network_id'> {
  network_id: Generated<number>
  /** The title without regard to case. */
  title_key: string
  /** Set where the network is no more: the row stays so that its id keeps its meaning. */
  deleted_date: string | null
}

export interface NetworkPathTable {
  network_path_id: Generated<number>
  network_id: number
  tunnel_id: number
  preference: number
  weight: number
  taken_out_date: string | null
  failed_date: string | null
  sort_order: number
}

export interface NetworkAddressTable {
  network_address_id: Generated<number>
  network_id: number
  address: string
  sort_order: number
}

export interface NetworkTables {
  network: NetworkTable
  network_path: NetworkPathTable
  network_address: NetworkAddressTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends NetworkTables {}
}

export type NetworkRow = Selectable<NetworkTable>
export type NewNetworkRow = Insertable<NetworkTable>
