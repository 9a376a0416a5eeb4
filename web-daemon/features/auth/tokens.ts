// The two tokens of a session (decisions.md, A2, A4): signed, dated, and each valid for its own use only.
import { randomUUID, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { SettingsReader } from '../../platform/settings.ts'

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
  readonly expiresAt: () => Date
}

export interface Token {
  readonly text: string
  readonly expires_at: string
  readonly lasts_seconds: number
}

export interface Tokens {
  readonly issue: (user: Claims & { readonly username: string }, use: TokenUse) => Token
  /** Null unless it is a valid token for that use. */
  readonly read: (text: string | undefined, use: TokenUse) => Proof | null
}

export function makeTokens(key: KeyObject, now: () => Date, settings: SettingsReader): Tokens {
  return {
    issue: (user, token_use) => {
      const iat = seconds(now())
      const lasts_seconds = secondsOf(token_use, settings)
      const exp = iat + lasts_seconds
      const { username, token_version } = user
      const payload = {
        sub: String(user.user_id),
        username,
        token_version,
        token_use,
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
      const user_id = Number(payload.sub)
      const token_version: unknown = payload['token_version']
      const { iat, exp } = payload
      if (!Number.isSafeInteger(user_id) || typeof token_version !== 'number' || iat === undefined || exp === undefined)
        return null
      const expiresAt = (): Date => new Date(Math.min(exp, iat + secondsOf(use, settings)) * 1000)
      return expiresAt() > now() ? { user_id, token_version, expiresAt } : null
    },
  }
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

const secondsOf = (use: TokenUse, settings: SettingsReader): number =>
  use === 'access'
    ? settings.get('security.token_ttl_minutes') * 60
    : settings.get('security.refresh_ttl_days') * 24 * 60 * 60

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)
