// Encrypts what the store keeps and must give back, under a key derived from the signing key: a copy of the store alone
// reveals nothing.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, type KeyObject } from 'node:crypto'

const [NONCE_BYTES, TAG_BYTES] = [12, 16]

export class SecretBox {
  readonly #key: Buffer

  constructor(signing_key: KeyObject, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', signing_key.export(), '', purpose, 32))
  }

  seal(plain: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }

  /** Null if it was sealed under another key, or is damaged. */
  open(sealed: Buffer): Buffer | null {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return null
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
    try {
      return Buffer.concat([plain, decipher.final()])
    } catch {
      return null
    }
  }
}
