// Shows that a caller can read the signing key, which takes an account on this host: for the command line, which has no
// session. A stolen proof is good for two minutes, and opens nothing but the details of health.
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

export const LOCAL_PROOF_COOKIE = 'panel_local'
const MINUTE_MS = 60_000

export function localProof(key: KeyObject, now: Date): string {
  return proofOf(key, minuteOf(now))
}

export function isLocalProof(key: KeyObject, now: Date, given: string): boolean {
  return [minuteOf(now), minuteOf(now) - 1].some((minute) => isSame(proofOf(key, minute), given))
}

const minuteOf = (now: Date): number => Math.floor(now.getTime() / MINUTE_MS)

/** No token is ever signed over a text with a blank. */
const proofOf = (key: KeyObject, minute: number): string =>
  createHmac('sha256', key).update(`local ${minute}`).digest('base64url')

const isSame = (expected: string, given: string): boolean =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
