// The account, its sessions and the addresses that they came from, as SQLite holds them.
import type { Generated } from 'kysely'

export interface UserAccountTable {
  user_id: Generated<number>
  username: string
  password_hash: string
  /** Every token contains the version it was issued under; raising it ends every session at once. */
  token_version: Generated<number>
  is_active: Generated<number>
  last_login_date: string | null
  created_date: string
  updated_date: string
}

/** Why a session ended before its time. */
export type RevokedWhy = 'signed_out' | 'ended' | 'account_changed' | 'refresh_reused' | 'password_reset'

export interface SessionTable {
  session_id: Generated<number>
  /** In its tokens: random, so that a store put back from a copy cannot give a new session the key of an old one. */
  session_key: string
  user_id: number
  created_date: string
  last_used_date: string
  last_ip: string
  user_agent: string
  /** How often its refresh token was exchanged; that token is good for its own generation. */
  refresh_generation: number
  refreshed_date: string
  /** No token of it is valid afterwards. */
  expires_date: string
  revoked_date: string | null
  revoked_why: Generated<RevokedWhy | ''>
}

export interface KnownAddressTable {
  /** HMAC of the address under a key derived from the signing key. */
  address_hash: Buffer
  last_used_date: string
}

export interface SecondFactorTable {
  second_factor_id: Generated<number>
  user_id: number
  kind: 'totp'
  /** Encrypted under a key derived from the signing key. */
  secret: Buffer
  label: string
  /** The step of the last code that was accepted. */
  last_step: number
  created_date: string
  /** Null until a code of it was given. */
  confirmed_date: Generated<string | null>
  last_used_date: Generated<string | null>
}

export interface RecoveryCodeTable {
  code_hash: Buffer
  user_id: number
  used_date: string | null
}

export interface ApiTokenTable {
  token_id: Generated<number>
  /** The part of its text by which it is found. */
  lookup: string
  title: string
  /** SHA-256 of the whole text. */
  hash: Buffer
  /** JSON. */
  scopes: string
  /** JSON; anywhere if empty. */
  allowed_networks: string
  user_id: number
  created_date: string
  expires_date: string | null
  last_used_date: Generated<string | null>
  last_used_ip: Generated<string>
  revoked_date: Generated<string | null>
}

export interface AuthTables {
  user_account: UserAccountTable
  session: SessionTable
  known_address: KnownAddressTable
  second_factor: SecondFactorTable
  recovery_code: RecoveryCodeTable
  api_token: ApiTokenTable
}

declare module '../../platform/db/database.ts' {
  interface Database extends AuthTables {}
}
