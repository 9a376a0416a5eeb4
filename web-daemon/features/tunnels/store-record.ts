// A stored tunnel as one JSON text: SQLite writes it and V8 reads it several times quicker than a driver makes objects
// of fifty columns.
import { columnsOf, type Column } from '@panel/shared/api/base/field-list.ts'
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import { sql, type RawBuilder } from 'kysely'
import type { TunnelRecord } from './record.ts'
import type { TunnelAddressRow } from './table.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

const ADDRESS = [
  'tunnel_address_id',
  'address',
  'peer_address',
  'prefix_length',
  'address_family_id',
  'sort_order',
] as const satisfies (keyof TunnelAddressRow)[]

type Pair = readonly [name: string, value: RawBuilder<unknown>]

const column = (name: string): Pair => [name, sql.ref(name)]
const flag = (name: string): Pair => [name, sql`json(iif(${sql.ref(name)}, 'true', 'false'))`]
const object = (pairs: readonly Pair[]): RawBuilder<string> =>
  sql<string>`json_object(${sql.join(pairs.flatMap(([name, value]) => [sql.lit(name), value]))})`

const addresses = sql`(select json_group_array(${object([...ADDRESS.map(column), flag('is_primary')])}) from
  (select * from tunnel_address where tunnel_address.tunnel_id = tunnel.tunnel_id order by sort_order))`

/** The JSON that SQLite makes of a column. */
const value = ({ name, kind, isNullable }: Column): Pair => {
  if (kind === 'plain') return column(name)
  if (kind === 'json') return [name, sql`json(${sql.ref(name)})`]
  return isNullable ? [name, sql`case when ${sql.ref(name)} is not null then ${flag(name)[1]} end`] : flag(name)
}

const pairs: readonly Pair[] = [...columnsOf(TUNNEL_FIELDS).map(value), ['addresses', addresses]]

/** To be selected from `tunnel`. */
export const RECORD = object(pairs).as('record')

/** A selected row, with what else is needed to show it. */
export interface RecordRow {
  readonly interface_name: string
  readonly apply_status_id: number
  readonly record: string
}

export const recordOf = (text: string): TunnelRecord => fromStoredJson(text) as TunnelRecord
