// One-time codes by the clock (RFC 6238): SHA-1, 30 s, six digits, one step of tolerance either way.
import { Secret, TOTP } from 'otpauth'
import { encode } from 'uqr'

const PERIOD_SECONDS = 30
/** Steps that a code may be from that of now, either way. */
const TOLERANCE = 1
const SECRET_BYTES = 20
const ISSUER = 'Tunnel Panel'

export function newSecret(): Uint8Array {
  return new Secret({ size: SECRET_BYTES }).bytes
}

export function base32(secret: Uint8Array): string {
  return secretOf(secret).base32
}

/** The address that an authenticator reads from a QR code. */
export function totpUri(secret: Uint8Array, username: string): string {
  return totp(secret, { label: username }).toString()
}

/** The URI as a QR code, dark on light, because many readers need that. */
export function qrCode(uri: string): string {
  const { size, data } = encode(uri, { ecc: 'L', border: 3 })
  const path = data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">`
  return `${head}<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`
}

/** The step that a code belongs to; null if it is none of now. */
export function stepOfCode(secret: Uint8Array, code: string, now: Date): number | null {
  const delta = totp(secret).validate({ token: code, timestamp: now.getTime(), window: TOLERANCE })
  return delta === null ? null : stepOf(now) + delta
}

/** The last step whose code is let in now. */
export function lastStepOf(now: Date): number {
  return stepOf(now) + TOLERANCE
}

const stepOf = (now: Date): number => Math.floor(now.getTime() / (PERIOD_SECONDS * 1000))

export function totp(secret: Uint8Array, more: { label?: string; digits?: number } = {}): TOTP {
  return new TOTP({
    issuer: ISSUER,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    ...more,
    secret: secretOf(secret),
  })
}

const secretOf = (bytes: Uint8Array): Secret => new Secret({ buffer: Uint8Array.from(bytes).buffer })
