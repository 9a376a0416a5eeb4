// Makes the tables of the monitoring: changes of state, and the history in intervals and in ticks.
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
    created_date text not null,
    reason_message text not null default '{"message":"","message_id":"","params":{}}'
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
    up_ms integer not null default 0,
    degraded_ms integer not null default 0,
    down_ms integer not null default 0,
    rx_bytes integer,
    tx_bytes integer,
    primary key (tunnel_id, bucket_start)
  ) strict, without rowid`

// The history joined to pieces long enough that 90 of them are a span that a list shows. Read for all tunnels at once,
// of one length: so its length comes first.
const TICK = sql`
  create table monitor_tick (
    tick_seconds integer not null,
    tunnel_id integer not null references tunnel (tunnel_id),
    tick_start integer not null,
    worst_severity integer not null,
    up_ms integer not null,
    degraded_ms integer not null,
    down_ms integer not null,
    primary key (tick_seconds, tunnel_id, tick_start)
  ) strict, without rowid`

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [EVENT, EVENTS_OF, BUCKET, TICK]) await statement.execute(db)
}

export const name = '007-monitor'
export const migration = { up }
