// A stored tunnel as one JSON text: SQLite writes it and V8 reads it several times quicker than a driver makes objects of fifty columns.
import { sql, type RawBuilder } from 'kysely'
import { FLAGS, type TunnelRecord } from './record.ts'
import type { TunnelAddressRow, TunnelRow } from './table.ts'

const PLAIN = [
  'tunnel_id',
  'tunnel_type_id',
  'interface_name',
  'tunnel_side_id',
  'tunnel_number',
  'local_endpoint',
  'remote_endpoint',
  'bind_device',
  'mtu',
  'ttl',
  'tos',
  'ikey',
  'okey',
  'fwmark',
  'tx_queue_length',
  'hop_limit',
  'encap_limit',
  'traffic_class',
  'flow_label',
  'persistence_type_id',
  'address_pool_id',
  'apply_status_id',
  'last_applied_date',
  'last_apply_error',
  'display_name',
  'note',
  'monitor_interval_seconds',
  'monitor_timeout_seconds',
  'monitor_packet_size',
  'monitor_window_size',
  'monitor_degraded_loss_percent',
  'monitor_down_loss_percent',
  'monitor_degraded_rtt_ms',
  'monitor_state_change_samples',
  'monitor_target',
  'keepalive_interval_seconds',
  'keepalive_packet_size',
  'created_date',
  'updated_date',
] as const satisfies (keyof TunnelRow)[]
const ADDRESS = [
  'tunnel_address_id',
  'address',
  'peer_address',
  'prefix_length',
  'address_family_id',
  'sort_order',
] as const satisfies (keyof TunnelAddressRow)[]

type Told = (typeof PLAIN)[number] | (typeof FLAGS)[number] | 'is_monitor_enabled' | 'tags' | 'addresses'
/** Does not compile while a field of the record is missing above. */
const NOTHING_MISSING: Exclude<keyof TunnelRecord, Told> extends never ? true : never = true

type Pair = readonly [name: string, value: RawBuilder<unknown>]

const column = (name: string): Pair => [name, sql.ref(name)]
const flag = (name: string): Pair => [name, sql`json(iif(${sql.ref(name)}, 'true', 'false'))`]
const object = (pairs: readonly Pair[]): RawBuilder<string> =>
  sql<string>`json_object(${sql.join(pairs.flatMap(([name, value]) => [sql.lit(name), value]))})`

const addresses = sql`(select json_group_array(${object([...ADDRESS.map(column), flag('is_primary')])}) from
  (select * from tunnel_address where tunnel_address.tunnel_id = tunnel.tunnel_id order by sort_order))`

const pairs: readonly Pair[] = [
  ...PLAIN.map(column),
  ...FLAGS.map(flag),
  [
    'is_monitor_enabled',
    sql`case when is_monitor_enabled is not null then json(iif(is_monitor_enabled, 'true', 'false')) end`,
  ],
  ['tags', sql`json(tags)`],
  ['addresses', addresses],
]

/** To be selected from `tunnel`. */
export const RECORD = NOTHING_MISSING && object(pairs).as('record')

export const recordOf = (text: string): TunnelRecord => JSON.parse(text) as TunnelRecord
