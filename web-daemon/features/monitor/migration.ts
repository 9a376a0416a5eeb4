// Makes the tables of the monitoring: changes of state, and the history in intervals.
import { sql, type Kysely } from 'kysely'

const EVENT = sql`
  create table monitor_event (
    monitor_event_id integer primary key autoincrement,
    tunnel_id integer not null references tunnel (tunnel_id),
    from_monitor_state_id integer not null,
    to_monitor_state_id integer not null,
    reason text not null,
    loss_percent real,
    rtt_avg_ms real,
    created_date text not null
  ) strict`
const EVENTS_OF = sql`create index monitor_event_of on monitor_event (tunnel_id, monitor_event_id)`

// One row per minute and tunnel: no second index, which would be as large as the table. Retention deletes tunnel by
// tunnel.
const BUCKET = sql`
  create table monitor_bucket (
    tunnel_id integer not null references tunnel (tunnel_id),
    bucket_start integer not null,
    sent_count integer not null,
    received_count integer not null,
    rtt_sum_us integer not null,
    rtt_min_us integer,
    rtt_max_us integer,
    jitter_sum_us integer not null,
    jitter_count integer not null,
    worst_severity integer not null,
    primary key (tunnel_id, bucket_start)
  ) strict, without rowid`

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [EVENT, EVENTS_OF, BUCKET]) await statement.execute(db)
}

export const name = '008-monitor'
export const migration = { up }
