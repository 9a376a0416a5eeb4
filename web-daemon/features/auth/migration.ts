// Makes the tables of the account and its second factor, of sessions and API tokens, and the audit log.
import { sql, type Kysely } from 'kysely'

const ACCOUNT = sql`
  create table user_account (
    user_id integer primary key autoincrement,
    username text not null collate nocase unique,
    password_hash text not null,
    token_version integer not null default 1,
    is_active integer not null default 1 check (is_active in (0, 1)),
    last_login_date text,
    created_date text not null,
    updated_date text not null
  ) strict`
const AUDIT = sql`
  create table audit_log (
    audit_log_id integer primary key autoincrement,
    audit_action_id integer not null,
    user_id integer,
    username text not null,
    target_type text not null,
    target_id integer,
    request text not null,
    operations text not null,
    is_success integer not null check (is_success in (0, 1)),
    error_message text not null,
    duration_ms integer not null,
    client_ip text not null,
    request_id text not null,
    created_date text not null,
    error_reason text not null default '{"message":"","message_id":"","params":{}}',
    session_id integer
  ) strict`
const SESSION = sql`
  create table session (
    session_id integer primary key autoincrement,
    session_key text not null unique,
    user_id integer not null,
    created_date text not null,
    last_used_date text not null,
    last_ip text not null,
    user_agent text not null,
    refresh_generation integer not null,
    refreshed_date text not null,
    expires_date text not null,
    revoked_date text,
    revoked_why text not null default ''
  ) strict`
/** The addresses that the operator has signed in from. */
const KNOWN_ADDRESS = sql`
  create table known_address (
    address_hash blob primary key,
    last_used_date text not null
  ) strict`
const SECOND_FACTOR = sql`
  create table second_factor (
    second_factor_id integer primary key autoincrement,
    user_id integer not null,
    kind text not null,
    secret blob not null,
    label text not null,
    last_step integer not null,
    created_date text not null,
    confirmed_date text,
    last_used_date text,
    unique (user_id, kind)
  ) strict`
const RECOVERY_CODE = sql`
  create table recovery_code (
    code_hash blob primary key,
    user_id integer not null,
    used_date text
  ) strict`
const API_TOKEN = sql`
  create table api_token (
    token_id integer primary key autoincrement,
    lookup text not null unique,
    title text not null,
    hash blob not null,
    scopes text not null,
    allowed_networks text not null,
    user_id integer not null,
    created_date text not null,
    expires_date text,
    last_used_date text,
    last_used_ip text not null default '',
    revoked_date text
  ) strict`
const AUDIT_BY_ACTION = sql`create index audit_log_by_action on audit_log (audit_action_id)`
const AUDIT_BY_DATE = sql`create index audit_log_by_date on audit_log (created_date)`

async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    ACCOUNT,
    AUDIT,
    SESSION,
    KNOWN_ADDRESS,
    SECOND_FACTOR,
    RECOVERY_CODE,
    API_TOKEN,
    AUDIT_BY_ACTION,
    AUDIT_BY_DATE,
  ]
  for (const statement of statements) await statement.execute(db)
}

export const name = '001-auth'
export const migration = { up }
