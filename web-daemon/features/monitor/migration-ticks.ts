// Makes the table of ticks: the history of all tunnels, joined to pieces long enough that 90 of them are a span that a
// list shows.
import { sql, type Kysely } from 'kysely'

// Read for all tunnels at once, of one length: so its length comes first.
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
  await TICK.execute(db)
}

export const name = '016-monitor-ticks'
export const migration = { up }
