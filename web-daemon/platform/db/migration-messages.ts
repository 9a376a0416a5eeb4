// Keeps with each stored sentence what another language makes of it; those from before stay as they are.
import { sql, type Kysely } from 'kysely'

const NOTHING = '{"message":"","message_id":"","params":{}}'
/** Table, the column of the English text, and its twin. */
const SENTENCES = [
  ['tunnel', 'last_apply_error', 'last_apply_error_message'],
  ['route_rule', 'last_apply_error', 'last_apply_error_message'],
  ['monitor_event', 'reason', 'reason_message'],
  ['audit_log', 'error_message', 'error_reason'],
] as const

async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, english, twin] of SENTENCES) {
    const [of, text, column] = [sql.table(table), sql.ref(english), sql.ref(twin)]
    await sql`alter table ${of} add column ${column} text not null default ${sql.lit(NOTHING)}`.execute(db)
    await sql`update ${of} set ${column} = json_set(${sql.lit(NOTHING)}, '$.message', ${text}) where ${text} <> ''`.execute(
      db,
    )
  }
}

export const name = '015-messages'
export const migration = { up }
