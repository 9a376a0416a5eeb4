// Makes the tables of relay rules, their destinations and allowed sources, of the checks of destinations, of routes
// through tunnels, and of the traffic that the panel remembers.
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
    deleted_date text,
    last_apply_error_message text not null default '{"message":"","message_id":"","params":{}}',
    is_self_heal integer,
    is_fast_path integer,
    fast_path_state text not null default 'off'
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
    sort_order integer not null,
    is_backup integer not null default 0,
    hostname text,
    hostname_policy text,
    drained_until text
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
    updated_date text not null,
    fast_rx_bytes integer not null default 0,
    fast_tx_bytes integer not null default 0,
    fast_rx_packets integer not null default 0,
    fast_tx_packets integer not null default 0,
    twice_rx_bytes integer not null default 0,
    twice_tx_bytes integer not null default 0,
    twice_rx_packets integer not null default 0,
    twice_tx_packets integer not null default 0,
    fast_epoch text not null default ''
  ) strict`
const BUCKET = sql`
  create table route_bucket (
    route_rule_id integer not null references route_rule (route_rule_id),
    bucket_start integer not null,
    rx_bytes integer not null,
    tx_bytes integer not null,
    rx_packets integer not null,
    tx_packets integer not null,
    active_connections integer,
    new_connections integer,
    primary key (route_rule_id, bucket_start)
  ) strict, without rowid`
const CHECK = sql`
  create table route_check (
    route_rule_id integer primary key references route_rule (route_rule_id),
    kind text not null,
    port integer,
    path text not null default '/',
    host text not null default '',
    expect_status integer,
    interval_ms integer not null default 5000,
    timeout_ms integer not null default 2000,
    fall integer not null default 3,
    rise integer not null default 2,
    on_all_down text not null default 'keep',
    connections_of_down text not null default 'auto',
    is_enabled integer not null default 1
  ) strict`
const STATE = sql`
  create table route_destination_state (
    route_destination_id integer primary key,
    state text not null,
    reason text not null,
    since text not null,
    flips integer not null default 0
  ) strict`
const EVENT = sql`
  create table route_destination_event (
    event_id integer primary key,
    route_rule_id integer not null,
    route_destination_id integer not null,
    from_state text not null,
    to_state text not null,
    reason text not null,
    created_date text not null
  ) strict`
/** The routes through tunnels that lead to destinations of rules. */
const TUNNEL_ROUTE = sql`
  create table tunnel_route (
    tunnel_id integer not null references tunnel (tunnel_id),
    destination text not null,
    primary key (tunnel_id, destination)
  ) strict, without rowid`

// Two living rules cannot share a title; a dead one keeps its own for the record.
const LIVING_TITLE = sql`create unique index route_rule_living_title on route_rule (title_key) where deleted_date is null`
const IN_ORDER = sql`create index route_rule_in_order on route_rule (sort_order, route_rule_id) where deleted_date is null`
const BY_PORT = sql`create index route_rule_by_port on route_rule (bind_port) where deleted_date is null and is_enabled = 1`
const BY_TUNNEL = sql`create index route_rule_by_tunnel on route_rule (tunnel_id) where deleted_date is null`
// Among ten thousand others the rules that listen on ranges are to be found without looking at those.
const RANGES = sql`create index route_rule_ranges on route_rule (bind_port, bind_port_range_end) where deleted_date is null and is_enabled = 1 and bind_port_range_end is not null`
const DESTINATIONS_OF = sql`create index route_destination_of on route_destination (route_rule_id, sort_order)`
const SOURCES_OF = sql`create index route_allowed_source_of on route_allowed_source (route_rule_id, sort_order)`
const BUCKETS_BY_AGE = sql`create index route_bucket_by_age on route_bucket (bucket_start)`
const EVENTS_OF = sql`create index route_destination_event_of on route_destination_event (route_rule_id, event_id)`

async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    RULE,
    DESTINATION,
    ALLOWED_SOURCE,
    TOTAL,
    BUCKET,
    CHECK,
    STATE,
    EVENT,
    TUNNEL_ROUTE,
    LIVING_TITLE,
    IN_ORDER,
    BY_PORT,
    BY_TUNNEL,
    RANGES,
    DESTINATIONS_OF,
    SOURCES_OF,
    BUCKETS_BY_AGE,
    EVENTS_OF,
  ]
  for (const statement of statements) await statement.execute(db)
}

export const name = '006-routes'
export const migration = { up }
