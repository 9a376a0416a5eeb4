// The certificate of a kept listener as the store holds it: its key only sealed.
import type { SecretBox } from '../../platform/secret-box.ts'
import { certificatePair, type CertificatePair } from '../../platform/tls/certificate.ts'

export interface SealedPair {
  readonly cert: string
  readonly sealed_key: Buffer
}

/** Why a kept listener is closed, in the place of an error of the kernel. */
export const UNREADABLE_KEY = 'unreadable key'

class UnreadableKeyError extends Error {
  readonly code = UNREADABLE_KEY
}

export function sealPair(box: SecretBox, { cert, key }: Pick<CertificatePair, 'cert' | 'key'>): SealedPair {
  return { cert, sealed_key: box.seal(Buffer.from(key)) }
}

/** Throws if the key was sealed under another signing key, or the pair is no use. */
export function openPair(box: SecretBox, { cert, sealed_key }: SealedPair): CertificatePair {
  const key = box.open(sealed_key)
  if (!key) throw new UnreadableKeyError('The key of the certificate was stored under another signing key')
  return certificatePair({ cert, key: key.toString() })
}
