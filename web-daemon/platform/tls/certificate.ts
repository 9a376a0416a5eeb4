// Reads a certificate and its key, checks that they belong together, and warns of expiry.
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { message, type Message } from '@panel/shared/messages/message.ts'

export interface TlsFiles {
  /** PEM; the server's own certificate first, then the intermediates. */
  readonly cert: string
  readonly key: string
}

export interface CertificatePair {
  readonly cert: string
  readonly key: string
  readonly subject: string
  readonly valid_from: Date
  readonly valid_to: Date
  /** Whether others than owner and group can read the key. */
  readonly is_key_open: boolean
}

/** Which of the two is at fault, and how. */
export type CertificateFault =
  'file' | 'cert_unreadable' | 'key_unreadable' | 'key_encrypted' | 'key_of_another' | 'unusable'

/** Why a pair cannot be used, as a message for the operator of files. */
export class CertificateError extends Error {
  readonly fault: CertificateFault

  constructor(fault: CertificateFault, message: string) {
    super(message)
    this.name = 'PairError'
    this.fault = fault
  }
}

export function secureContextOptions({ cert, key }: CertificatePair): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
  }
}

export function readCertificatePair({ cert: certPath, key: keyPath }: TlsFiles): CertificatePair {
  const cert = readText('certificate', certPath)
  const key = readText('key', keyPath)
  return { ...certificatePair({ cert, key }), is_key_open: (statSync(keyPath).mode & 0o007) !== 0 }
}

/** From the text of both, in PEM form. */
export function certificatePair({ cert, key }: Pick<CertificatePair, 'cert' | 'key'>): CertificatePair {
  const certificate = parseCertificate(cert)
  if (!certificate.checkPrivateKey(parseKey(key))) {
    throw new CertificateError(
      'key_of_another',
      "The key is not that of the first certificate in the certificate's file: the server's own comes first there, those of its issuers after it.",
    )
  }
  const { validFrom, validTo } = certificate
  return usable({
    cert,
    key,
    subject: certificateName(certificate),
    valid_from: new Date(validFrom),
    valid_to: new Date(validTo),
    is_key_open: false,
  })
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Renewal should have happened before less than this part of the lifetime is left. */
const LAST_PART = 0.1
const LAST_DAYS = 30

/** A warning about a pair that works, or null. */
export function certificateWarning({ valid_from, valid_to, is_key_open }: CertificatePair, now: Date): Message | null {
  const left = valid_to.getTime() - now.getTime()
  if (left <= 0) return message('attention.certificate_expired', { at: valid_to.toISOString() })
  if (valid_from > now) return message('attention.certificate_early', { at: valid_from.toISOString() })
  if (is_key_open) return message('attention.certificate_key_open')
  const soon = Math.min(LAST_DAYS * DAY_MS, LAST_PART * (valid_to.getTime() - valid_from.getTime()))
  return left < soon ? message('attention.certificate_soon', { at: valid_to.toISOString() }) : null
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES:
    'cannot be read by the user that the web daemon runs as; give it the right to (a copy of its own, or a group)',
  EISDIR: 'is a folder',
}

/** Health shows these messages to anybody, so they contain no paths; the log and a failed start do. */
const readText = (what: 'certificate' | 'key', path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new CertificateError('file', `The file of the ${what} ${WHY[code] ?? `cannot be read (${code})`}.`)
  }
}

const parseCertificate = (text: string): X509Certificate => {
  try {
    return new X509Certificate(text)
  } catch {
    throw new CertificateError(
      'cert_unreadable',
      'The file of the certificate does not begin with one in PEM form, or is not complete.',
    )
  }
}

const parseKey = (text: string): KeyObject => {
  if (/ENCRYPTED/.test(text))
    throw new CertificateError(
      'key_encrypted',
      'The key is protected by a passphrase, which nobody is there to type. Write it without one, readable by the web daemon alone.',
    )
  try {
    return createPrivateKey(text)
  } catch {
    throw new CertificateError(
      'key_unreadable',
      'The file of the key holds no private key in PEM form, or is not complete.',
    )
  }
}

/** OpenSSL has further requirements, such as the length of a key. */
const usable = (pair: CertificatePair): CertificatePair => {
  try {
    createSecureContext(secureContextOptions(pair))
    return pair
  } catch (failure) {
    throw new CertificateError(
      'unusable',
      `The certificate and its key cannot be used: ${failure instanceof Error ? failure.message : String(failure)}.`,
    )
  }
}

/** The names that a browser checks, or the subject if there are none. */
const certificateName = ({ subjectAltName, subject }: X509Certificate): string =>
  (subjectAltName ?? subject).replaceAll('\n', ', ')
