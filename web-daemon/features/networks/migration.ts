// Makes the tables of networks behind tunnels, of their paths and of their own addresses.
import { sql, type Kysely } from 'kysely'

const NETWORK = sql`
  create table network (
    network_id integer primary key autoincrement,
    network_title text not null,
    title_key text not null,
    note text not null,
    is_enabled integer not null,
    destination text not null,
    source_address text,
    metric integer not null,
    apply_status_id integer not null,
    last_applied_date text,
    last_apply_error text not null,
    last_apply_error_message text not null,
    created_date text not null,
    updated_date text not null,
    deleted_date text
  ) strict`
const PATH = sql`
  create table network_path (
    network_path_id integer primary key autoincrement,
    network_id integer not null references network (network_id),
    tunnel_id integer not null references tunnel (tunnel_id),
    preference integer not null,
    weight integer not null,
    taken_out_date text,
    failed_date text,
    sort_order integer not null,
    unique (network_id, tunnel_id)
  ) strict`
const ADDRESS = sql`
  create table network_address (
    network_address_id integer primary key autoincrement,
    network_id integer not null references network (network_id),
    address text not null,
    sort_order integer not null
  ) strict`

// Two living networks share neither title nor destination; a dead one keeps its own for the record.
const LIVING_TITLE = sql`create unique index network_living_title on network (title_key) where deleted_date is null`
const LIVING_DESTINATION = sql`create unique index network_living_destination on network (destination) where deleted_date is null`
const PATHS_OVER = sql`create index network_path_over on network_path (tunnel_id)`
// Those of a dead network are dropped with it.
const ONE_ADDRESS = sql`create unique index network_address_once on network_address (address)`

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [NETWORK, PATH, ADDRESS, LIVING_TITLE, LIVING_DESTINATION, PATHS_OVER, ONE_ADDRESS])
    await statement.execute(db)
}

export const name = '016-networks'
export const migration = { up }
