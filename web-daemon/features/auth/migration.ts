// The first tables: the operator's account and the audit log.
import { sql, type Migration } from 'kysely'

export const name = '001-accounts-and-audit'

export const migration: Migration = {
  async up(db) {
    await sql`
      CREATE TABLE user_account (
        user_id INTEGER PRIMARY KEY AUTOINCREMENT,
        username TEXT NOT NULL COLLATE NOCASE UNIQUE,
        password_hash TEXT NOT NULL,
        token_version INTEGER NOT NULL DEFAULT 1,
        is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
        last_login_date TEXT,
        created_date TEXT NOT NULL,
        updated_date TEXT NOT NULL
      ) STRICT`.execute(db)
    await sql`
      CREATE TABLE audit_log (
        audit_log_id INTEGER PRIMARY KEY AUTOINCREMENT,
        audit_action_id INTEGER NOT NULL,
        user_id INTEGER,
        username TEXT NOT NULL,
        target_type TEXT NOT NULL,
        target_id INTEGER,
        request TEXT NOT NULL,
        operations TEXT NOT NULL,
        is_success INTEGER NOT NULL CHECK (is_success IN (0, 1)),
        error_message TEXT NOT NULL,
        duration_ms INTEGER NOT NULL,
        client_ip TEXT NOT NULL,
        request_id TEXT NOT NULL,
        created_date TEXT NOT NULL
      ) STRICT`.execute(db)
    await sql`CREATE INDEX audit_log_by_action ON audit_log (audit_action_id)`.execute(db)
    await sql`CREATE INDEX audit_log_by_date ON audit_log (created_date)`.execute(db)
  },
}
