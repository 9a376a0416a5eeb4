// What a request with an API token is let in as.
import { message } from '@panel/shared/messages/message.ts'
import type { ReadDb } from '../../platform/context.ts'
import type { Session } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { scopesOfToken } from './api-tokens.ts'
import type { AuthServices } from './services.ts'
import { findAccountById, onlyAccount } from './store.ts'

/** Streams that no expiry ends are checked every second all the same. */
const FOR_EVER = new Date(8.64e15)

export async function findTokenSession(
  db: ReadDb,
  { apiTokens, throttle }: AuthServices,
  text: string,
  client_ip: string,
): Promise<Session> {
  const row = await apiTokens.use(text, client_ip)
  const account = row && (await findAccountById(db, row.user_id))
  if (!row || account?.is_active !== 1) {
    throttle.countUnknownToken(client_ip)
    throw new Refusal('UNAUTHENTICATED', message('panel.unknown_token'))
  }
  return {
    user_id: account.user_id,
    username: `token:${row.title}`,
    token_version: account.token_version,
    session_id: null,
    token_id: row.token_id,
    scopes: scopesOfToken(row),
    key: `token ${row.token_id}`,
    is_fresh: false,
    expires_at: row.expires_date === null ? FOR_EVER : new Date(row.expires_date),
  }
}

const LOCAL_MS = 60_000

/** Finds the session of the command line on this host. */
export async function findLocalSession(
  db: ReadDb,
  { localRequests }: AuthServices,
  text: string,
  { method, target }: { method: string; target: string },
): Promise<Session> {
  const body_digest = localRequests.accept(text, method, target)
  const account = body_digest === null ? undefined : await onlyAccount(db)
  if (body_digest === null || !account) throw new Refusal('UNAUTHENTICATED', message('panel.sign_in'))
  return {
    user_id: account.user_id,
    username: 'command line',
    token_version: account.token_version,
    session_id: null,
    token_id: null,
    scopes: ['*'],
    key: 'command line',
    // A program that can sign requests can also write the store, password included.
    is_fresh: true,
    body_digest,
    expires_at: new Date(Date.now() + LOCAL_MS),
  }
}
