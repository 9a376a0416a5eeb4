// Codes for an operator who has lost the second factor: 80 random bits each, so a plain hash keeps them safe.
import { createHash, randomBytes } from 'node:crypto'
import { Secret } from 'otpauth'

const COUNT = 10
const BYTES = 10

/** In groups of four letters and digits of base32. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const text = new Secret({ buffer: Uint8Array.from(randomBytes(BYTES)).buffer }).base32
    return text.match(/.{4}/g)?.join('-') ?? text
  })
}

/** However it was typed. */
export function recoveryHash(code: string): Buffer {
  return createHash('sha256')
    .update(code.toUpperCase().replaceAll(/[^A-Z2-7]/g, ''))
    .digest()
}
