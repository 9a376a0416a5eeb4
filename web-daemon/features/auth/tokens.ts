// The two tokens of a session (decisions.md, A2, A4, A19): signed, dated, and each valid for its own use only.
import { randomUUID, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { SettingsReader } from '../../platform/settings.ts'
import type { SessionRow } from './store-sessions.ts'

const ISSUER = 'tunnel-panel'
const CLOCK_TOLERANCE_SECONDS = 30

export type TokenUse = 'access' | 'refresh'

export interface Claims {
  readonly user_id: number
  readonly token_version: number
}

/**
 * What a valid token proves. It expires by the current settings, so that a shorter lifetime also applies to tokens
 * already issued.
 */
export interface Proof extends Claims {
  /** The key of the session. */
  readonly sid: string
  readonly generation: number
  readonly expiresAt: () => Date
}

/** What a token says of its session. */
export type TokenSession = Pick<SessionRow, 'session_key' | 'refresh_generation'>

export interface Token {
  readonly text: string
  readonly expires_at: string
  readonly lasts_seconds: number
}

export interface Tokens {
  readonly issue: (user: Claims & { readonly username: string }, session: TokenSession, use: TokenUse) => Token
  /** Null unless it is a valid token for that use. */
  readonly read: (text: string | undefined, use: TokenUse) => Proof | null
}

export function makeTokens(key: KeyObject, now: () => Date, settings: SettingsReader): Tokens {
  return {
    issue: (user, { session_key, refresh_generation }, token_use) => {
      const iat = seconds(now())
      const lasts_seconds = tokenLifetime(token_use, settings)
      const exp = iat + lasts_seconds
      const { username, token_version } = user
      const payload = {
        sub: String(user.user_id),
        username,
        token_version,
        token_use,
        sid: session_key,
        gen: refresh_generation,
        jti: randomUUID(),
        iss: ISSUER,
        iat,
        nbf: iat - CLOCK_TOLERANCE_SECONDS,
        exp,
      }
      return {
        text: jwt.sign(payload, key, { algorithm: 'HS256' }),
        expires_at: new Date(exp * 1000).toISOString(),
        lasts_seconds,
      }
    },
    read: (text, use) => {
      const payload = text === undefined ? null : verified(text, key, now())
      if (payload?.['token_use'] !== use) return null
      const claims = readClaims(payload)
      const session = readSession(payload)
      const { iat, exp } = payload
      if (!claims || !session || iat === undefined || exp === undefined) return null
      const expiresAt = (): Date => new Date(Math.min(exp, iat + tokenLifetime(use, settings)) * 1000)
      return expiresAt() > now() ? { ...claims, ...session, expiresAt } : null
    },
  }
}

const readClaims = (payload: jwt.JwtPayload): Claims | null => {
  const user_id = Number(payload.sub)
  const token_version: unknown = payload['token_version']
  return Number.isSafeInteger(user_id) && typeof token_version === 'number' ? { user_id, token_version } : null
}

const readSession = (payload: jwt.JwtPayload): Pick<Proof, 'sid' | 'generation'> | null => {
  const sid: unknown = payload['sid']
  const generation: unknown = payload['gen']
  return typeof sid === 'string' && typeof generation === 'number' ? { sid, generation } : null
}

const verified = (text: string, key: KeyObject, now: Date): jwt.JwtPayload | null => {
  try {
    const payload = jwt.verify(text, key, { algorithms: ['HS256'], issuer: ISSUER, clockTimestamp: seconds(now) })
    return typeof payload === 'string' ? null : payload
  } catch (failure) {
    if (failure instanceof jwt.JsonWebTokenError) return null
    throw failure
  }
}

const tokenLifetime = (use: TokenUse, settings: SettingsReader): number =>
  use === 'access'
    ? settings.get('security.token_ttl_minutes') * 60
    : settings.get('security.refresh_ttl_days') * 24 * 60 * 60

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
