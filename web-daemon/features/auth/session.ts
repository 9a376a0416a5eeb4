// A session: made as three cookies and a body, and read back from the cookies.
import { randomBytes } from 'node:crypto'
import type { SessionAnswer, UserView } from '@panel/shared/api/auth.ts'
import type { ReadDb } from '../../platform/context.ts'
import type { Answer, CookieInstruction, Session } from '../../platform/http/endpoint.ts'
import { accountWith, type Account } from './store.ts'
import type { Claims, Token, Tokens, TokenUse } from './tokens.ts'

export const userView = ({ user_id, username, is_active, last_login_date, created_date }: Account): UserView => ({
  user_id,
  username,
  is_active: is_active === 1,
  last_login_date,
  created_date,
})

/** The body says when the tokens expire, never what they are (interface.md, Session). */
export const sessionAnswer = (tokens: Tokens, account: Account, status: 200 | 201): Answer<SessionAnswer> => {
  const access = tokens.issue(account, 'access')
  const refresh = tokens.issue(account, 'refresh')
  const csrf_token = randomBytes(32).toString('base64url')
  const body: SessionAnswer = {
    user: userView(account),
    csrf_token,
    access_expires_at: access.expires_at,
    refresh_expires_at: refresh.expires_at,
  }
  return { status, body, cookies: cookies(access, refresh, csrf_token) }
}

export const signedOutCookies = (): CookieInstruction[] => cookies(null, null, null)

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

type Jar = Readonly<Record<string, string>>

/** The account that the token in the cookie belongs to. */
export const accountOf = async (db: ReadDb, tokens: Tokens, jar: Jar, use: TokenUse): Promise<Account | null> => {
  const proof = tokens.read(jar[`panel_${use}`], use)
  return proof && standing(db, proof)
}

export const sessionOf = async (db: ReadDb, tokens: Tokens, jar: Jar): Promise<Session | null> => {
  const proof = tokens.read(jar['panel_access'], 'access')
  const account = proof && (await standing(db, proof))
  if (!account) return null
  const { user_id, username, token_version } = account
  return {
    user_id,
    username,
    token_version,
    get expires_at() {
      return proof.expiresAt()
    },
  }
}

/** Whether the session has not been revoked; its expiry is not checked. For streams, which outlive their request. */
export const isStanding = async (db: ReadDb, session: Session): Promise<boolean> =>
  (await standing(db, session)) !== null

/** The account, if it is active and its version is that of the token. */
const standing = async (db: ReadDb, { user_id, token_version }: Claims): Promise<Account | null> => {
  const account = await accountWith(db, user_id)
  return account?.is_active === 1 && account.token_version === token_version ? account : null
}
