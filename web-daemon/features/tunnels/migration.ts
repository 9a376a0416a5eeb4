// Makes the tables of tunnels and their addresses.
import { sql, type Kysely } from 'kysely'

// autoincrement: the id of a deleted tunnel never comes back, and the first is 1.
const TUNNEL = sql`
  create table tunnel (
    tunnel_id integer primary key autoincrement,
    tunnel_type_id integer not null,
    interface_name text not null,
    is_name_templated integer not null,
    tunnel_side_id integer not null,
    tunnel_number integer,
    local_endpoint text not null,
    remote_endpoint text not null,
    bind_device text,
    mtu integer not null,
    ttl integer not null,
    tos text not null,
    ikey integer,
    okey integer,
    has_input_checksum integer not null,
    has_output_checksum integer not null,
    has_input_sequence integer not null,
    has_output_sequence integer not null,
    is_path_mtu_discovery integer not null,
    is_ignore_df integer not null,
    fwmark integer,
    tx_queue_length integer not null,
    hop_limit integer,
    encap_limit integer,
    traffic_class text,
    flow_label integer not null,
    persistence_type_id integer not null,
    address_pool_id integer references address_pool (address_pool_id),
    is_enabled integer not null,
    is_managed integer not null,
    apply_status_id integer not null,
    last_applied_date text,
    last_apply_error text not null,
    display_name text not null,
    note text not null,
    tags text not null,
    is_monitor_enabled integer,
    monitor_interval_seconds real,
    monitor_timeout_seconds real,
    monitor_packet_size integer,
    monitor_window_size integer,
    monitor_degraded_loss_percent real,
    monitor_down_loss_percent real,
    monitor_degraded_rtt_ms real,
    monitor_state_change_samples integer,
    monitor_target text,
    created_date text not null,
    updated_date text not null,
    deleted_date text,
    keepalive_interval_seconds real,
    keepalive_packet_size integer not null default 56,
    last_apply_error_message text not null default '{"message":"","message_id":"","params":{}}',
    is_self_heal integer
  ) strict`
const ADDRESS = sql`
  create table tunnel_address (
    tunnel_address_id integer primary key autoincrement,
    tunnel_id integer not null references tunnel (tunnel_id),
    address text not null,
    peer_address text not null,
    prefix_length integer not null,
    address_family_id integer not null,
    is_primary integer not null,
    sort_order integer not null
  ) strict`

// Two living tunnels cannot share a name; a dead one keeps its own for the record.
const LIVING_NAME = sql`create unique index tunnel_living_name on tunnel (interface_name) where deleted_date is null`
const ADDRESSES_OF = sql`create index tunnel_address_of on tunnel_address (tunnel_id, sort_order)`

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [TUNNEL, ADDRESS, LIVING_NAME, ADDRESSES_OF]) await statement.execute(db)
}

export const name = '003-tunnels'
export const migration = { up }
