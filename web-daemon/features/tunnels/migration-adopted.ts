// Tunnels gain whether they were adopted. One whose creation the audit log does not have may have been.
import { sql, type Kysely } from 'kysely'
import { AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'

async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tunnel add column is_adopted integer not null default 0`.execute(db)
  await sql`
    update tunnel set is_adopted = 1
    where deleted_date is null and not exists (
      select 1 from audit_log
      where audit_action_id = ${AUDIT_ACTIONS.TunnelCreate} and target_type = 'tunnel' and is_success = 1
        and target_id = tunnel.tunnel_id
    )`.execute(db)
}

export const name = '024-tunnel-adopted'
export const migration = { up }
