// Makes the table of diagnostic runs.
import { sql, type Kysely } from 'kysely'

const RUN = sql`
  create table diagnostic_run (
    diagnostic_run_id integer primary key autoincrement,
    tunnel_id integer not null references tunnel (tunnel_id),
    diagnostic_type_id integer not null,
    params text not null,
    result text,
    is_success integer not null,
    started_date text not null,
    finished_date text
  ) strict`
const RUNS_OF = sql`create index diagnostic_run_of on diagnostic_run (tunnel_id, diagnostic_run_id)`

async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [RUN, RUNS_OF]) await statement.execute(db)
}

export const name = '008-diagnostics'
export const migration = { up }
