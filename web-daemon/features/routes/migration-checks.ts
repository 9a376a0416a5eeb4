// Makes the tables of checks of destinations and of what they came to, and gives destinations what failover needs.
import { sql, type Kysely } from 'kysely'

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
const EVENTS_OF = sql`create index route_destination_event_of on route_destination_event (route_rule_id, event_id)`
const COLUMNS = [
  sql`alter table route_destination add column is_backup integer not null default 0`,
  sql`alter table route_destination add column hostname text`,
  sql`alter table route_destination add column hostname_policy text`,
  sql`alter table route_destination add column drained_until text`,
]

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [CHECK, STATE, EVENT, EVENTS_OF, ...COLUMNS]) await statement.execute(db)
}

export const name = '023-route-checks'
export const migration = { up }
