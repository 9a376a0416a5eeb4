// The stored tunnels, as kysely sees them: one row per tunnel that ever was, one per address of those that are.
import type { TunnelColumns } from '@panel/shared/api/tunnels/fields.ts'
import type { Generated, Insertable, Selectable } from 'kysely'

/**
 * Columns bear the names of the wire (reference.md, Tunnel record; decisions.md, R1). A flag is 0 or 1, a list is its
 * JSON text.
 */
export interface TunnelTable extends Omit<TunnelColumns, 'tunnel_id'> {
  tunnel_id: Generated<number>
  /** Set where the tunnel is no more: the row stays so that its id keeps its meaning (decisions.md, T2). */
  deleted_date: string | null
  /** Whether it was there before the panel managed it. */
  is_adopted: Generated<number>
}

export interface TunnelAddressTable {
  tunnel_address_id: Generated<number>
  tunnel_id: number
  address: string
  peer_address: string
  prefix_length: number
  address_family_id: number
  is_primary: number
  sort_order: number
}

export interface TunnelTables {
  tunnel: TunnelTable
  tunnel_address: TunnelAddressTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends TunnelTables {}
}

export type NewTunnelRow = Insertable<TunnelTable>
export type TunnelAddressRow = Selectable<TunnelAddressTable>
