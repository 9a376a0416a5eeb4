// A session: made as three cookies and a body, and read back from the cookies.
import { randomBytes } from 'node:crypto'
import type { SessionAnswer, UserView } from '@panel/shared/api/auth.ts'
import type { ReadDb } from '../../platform/context.ts'
import type { StoreTransaction } from '../../platform/db/database.ts'
import type { Answer, CookieInstruction, Incoming, Session } from '../../platform/http/endpoint.ts'
import type { AuthServices } from './services.ts'
import type { SessionRow } from './store-sessions.ts'
import type { Device } from './sessions.ts'
import { findAccountById, type Account } from './store.ts'
import type { Claims, Token } from './tokens.ts'

export function userView({ user_id, username, is_active, last_login_date, created_date }: Account): UserView {
  return {
    user_id,
    username,
    is_active: is_active === 1,
    last_login_date,
    created_date,
  }
}

/** The body says when the tokens expire, never what they are (reference.md, Session). */
export async function sessionAnswer(
  { tokens, sessions }: Pick<AuthServices, 'tokens' | 'sessions'>,
  account: Account,
  session: SessionRow,
  status: 200 | 201,
): Promise<Answer<SessionAnswer>> {
  const access = tokens.issue(account, session, 'access')
  const refresh = tokens.issue(account, session, 'refresh')
  await sessions.expires(session, later(access.expires_at, refresh.expires_at))
  const csrf_token = randomBytes(32).toString('base64url')
  const body: SessionAnswer = {
    user: userView(account),
    csrf_token,
    access_expires_at: access.expires_at,
    refresh_expires_at: refresh.expires_at,
  }
  return { status, body, cookies: cookies(access, refresh, csrf_token) }
}

const later = (a: string, b: string): string => (a > b ? a : b)

export function signedOutCookies(): CookieInstruction[] {
  return cookies(null, null, null)
}

/** The CSRF cookie lives as long as the session can be renewed (decisions.md, A2). */
const cookies = (access: Token | null, refresh: Token | null, csrf: string | null): CookieInstruction[] => [
  { name: 'panel_access', value: access?.text ?? null, http_only: true, max_age_seconds: access?.lasts_seconds ?? 0 },
  {
    name: 'panel_refresh',
    value: refresh?.text ?? null,
    http_only: true,
    max_age_seconds: refresh?.lasts_seconds ?? 0,
  },
  { name: 'panel_csrf', value: csrf, http_only: false, max_age_seconds: refresh?.lasts_seconds ?? 0 },
]

export function deviceOf({ client_ip, user_agent }: Pick<Incoming, 'client_ip' | 'user_agent'>): Device {
  return { client_ip, user_agent }
}

/** Begins a session whose password was given just now. `alongside` writes into the transaction that stores it. */
export function beginSession(
  { sessions, addresses }: Pick<AuthServices, 'sessions' | 'addresses'>,
  { user_id }: Account,
  incoming: Pick<Incoming, 'client_ip' | 'user_agent'>,
  alongside: (db: StoreTransaction) => Promise<void> = async () => undefined,
): Promise<SessionRow> {
  return sessions.begin(user_id, deviceOf(incoming), async (db) => {
    await addresses.add(incoming.client_ip, db)
    await alongside(db)
  })
}

type Jar = Readonly<Record<string, string>>
type Sources = Pick<AuthServices, 'tokens' | 'sessions'>

/** The account and the session that an access token in the cookies stands for. The use is noted. */
export async function findSession(db: ReadDb, sources: Sources, jar: Jar, device: Device): Promise<Session | null> {
  const proof = sources.tokens.read(jar['panel_access'], 'access')
  const account = proof && (await findStanding(db, proof))
  const row = account && (await sources.sessions.find(proof.sid))
  if (!row) return null
  await sources.sessions.touch(row, device)
  return makeSession(account, row, { expiresAt: proof.expiresAt, isFresh: () => sources.sessions.isFresh(row) })
}

/** Exchanges the refresh token in the cookies. */
export async function renewSession(
  db: ReadDb,
  { tokens, sessions }: Sources,
  jar: Jar,
  device: Device,
): Promise<{ account: Account; row: SessionRow } | null> {
  const proof = tokens.read(jar['panel_refresh'], 'refresh')
  const account = proof && (await findStanding(db, proof))
  if (!account) return null
  const row = await sessions.renew(proof, device)
  return row && { account, row }
}

/** The session that signing out ends: a refresh token names it too, where the access token has expired. */
export async function sessionToEnd(
  db: ReadDb,
  { tokens, sessions }: Sources,
  jar: Jar,
): Promise<{ account: Account; row: SessionRow } | null> {
  const proof = tokens.read(jar['panel_access'], 'access') ?? tokens.read(jar['panel_refresh'], 'refresh')
  const account = proof && (await findStanding(db, proof))
  if (!account) return null
  const row = await sessions.find(proof.sid)
  return row && { account, row }
}

/** Whether the session has not been revoked; its expiry is not checked. For streams, which outlive their request. */
export async function isStanding(
  db: ReadDb,
  { sessions, apiTokens }: Pick<AuthServices, 'sessions' | 'apiTokens'>,
  session: Session,
): Promise<boolean> {
  const { token_id, session_id } = session
  if (token_id !== null) return apiTokens.isLive(token_id)
  return (await findStanding(db, session)) !== null && session_id !== null && (await sessions.isLive(session_id))
}

const makeSession = (
  { user_id, username, token_version }: Account,
  { session_id }: SessionRow,
  { expiresAt, isFresh }: { readonly expiresAt: () => Date; readonly isFresh: () => boolean },
): Session => ({
  user_id,
  username,
  token_version,
  session_id,
  token_id: null,
  scopes: null,
  key: `session ${session_id}`,
  get is_fresh() {
    return isFresh()
  },
  get expires_at() {
    return expiresAt()
  },
})

/** The account, if it is active and its version is that of the token. */
const findStanding = async (db: ReadDb, { user_id, token_version }: Claims): Promise<Account | null> => {
  const account = await findAccountById(db, user_id)
  return account?.is_active === 1 && account.token_version === token_version ? account : null
}
