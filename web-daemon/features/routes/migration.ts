// Makes the tables of relay rules, their destinations and allowed sources, and of the traffic that the panel remembers.
import { sql, type Kysely } from 'kysely'

const RULE = sql`
  create table route_rule (
    route_rule_id integer primary key,
    route_rule_title text not null,
    title_key text not null,
    description text not null,
    route_protocol_id integer not null,
    address_family_id integer not null,
    bind_address text not null,
    bind_port integer not null,
    bind_port_range_end integer,
    bind_interface text,
    load_balance_mode_id integer not null,
    nat_mode_id integer not null,
    snat_address text,
    is_enabled integer not null,
    is_clamp_mss_to_pmtu integer not null,
    is_include_local_originated integer not null,
    is_logging_enabled integer not null,
    fwmark integer,
    max_connections_per_source integer,
    connection_rate_limit integer,
    tunnel_id integer references tunnel (tunnel_id),
    sort_order integer not null,
    tags text not null,
    apply_status_id integer not null,
    last_applied_date text,
    last_apply_error text not null,
    created_date text not null,
    updated_date text not null,
    deleted_date text
  ) strict`
const DESTINATION = sql`
  create table route_destination (
    route_destination_id integer primary key autoincrement,
    route_rule_id integer not null references route_rule (route_rule_id),
    address text not null,
    port integer not null,
    port_range_end integer,
    weight integer not null,
    is_enabled integer not null,
    sort_order integer not null
  ) strict`
const ALLOWED_SOURCE = sql`
  create table route_allowed_source (
    route_allowed_source_id integer primary key autoincrement,
    route_rule_id integer not null references route_rule (route_rule_id),
    cidr text not null,
    description text not null,
    sort_order integer not null
  ) strict`
const TOTAL = sql`
  create table route_total (
    route_rule_id integer primary key references route_rule (route_rule_id),
    rx_bytes integer not null,
    tx_bytes integer not null,
    rx_packets integer not null,
    tx_packets integer not null,
    seen_rx_bytes integer not null,
    seen_tx_bytes integer not null,
    seen_rx_packets integer not null,
    seen_tx_packets integer not null,
    seen_epoch text not null,
    updated_date text not null
  ) strict`
const BUCKET = sql`
  create table route_bucket (
    route_rule_id integer not null references route_rule (route_rule_id),
    bucket_start integer not null,
    rx_bytes integer not null,
    tx_bytes integer not null,
    rx_packets integer not null,
    tx_packets integer not null,
    primary key (route_rule_id, bucket_start)
  ) strict, without rowid`

// Two living rules cannot share a title; a dead one keeps its own for the record.
const LIVING_TITLE = sql`create unique index route_rule_living_title on route_rule (title_key) where deleted_date is null`
const IN_ORDER = sql`create index route_rule_in_order on route_rule (sort_order, route_rule_id) where deleted_date is null`
const BY_PORT = sql`create index route_rule_by_port on route_rule (bind_port) where deleted_date is null and is_enabled = 1`
const BY_TUNNEL = sql`create index route_rule_by_tunnel on route_rule (tunnel_id) where deleted_date is null`
const DESTINATIONS_OF = sql`create index route_destination_of on route_destination (route_rule_id, sort_order)`
const SOURCES_OF = sql`create index route_allowed_source_of on route_allowed_source (route_rule_id, sort_order)`
const BUCKETS_BY_AGE = sql`create index route_bucket_by_age on route_bucket (bucket_start)`

async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    RULE,
    DESTINATION,
    ALLOWED_SOURCE,
    TOTAL,
    BUCKET,
    LIVING_TITLE,
    IN_ORDER,
    BY_PORT,
    BY_TUNNEL,
    DESTINATIONS_OF,
    SOURCES_OF,
    BUCKETS_BY_AGE,
  ]
  for (const statement of statements) await statement.execute(db)
}

export const name = '007-routes'
export const migration = { up }
