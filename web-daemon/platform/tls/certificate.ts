// Reads a certificate and its key, checks that they belong together, and warns of expiry.
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HostIncident } from '../health.ts'

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
  | 'file'
  | 'cert_unreadable'
  | 'key_unreadable'
  | 'key_encrypted'
  | 'key_of_another'
  | 'unusable'

/** Why a pair cannot be used, as a message for the operator of files. */
export class CertificateError extends Error {
  readonly fault: CertificateFault
  readonly sentence: Message

  constructor(fault: CertificateFault, sentence: Message) {
    super(sentence.message)
    this.name = 'PairError'
    this.fault = fault
    this.sentence = sentence
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

/** Makes a pair from both texts in PEM form. */
export function certificatePair({ cert, key }: Pick<CertificatePair, 'cert' | 'key'>): CertificatePair {
  const certificate = parseCertificate(cert)
  if (!certificate.checkPrivateKey(parseKey(key))) {
    throw new CertificateError('key_of_another', message('attention.key_of_another'))
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

/** What needs the operator of a pair with a warning, which the sentence says. */
export function certificateIncident(
  { subject: name, valid_from, valid_to }: CertificatePair,
  sentence: Message,
  now: Date,
): HostIncident {
  const isExpired = valid_to <= now
  return {
    kind: 'certificate',
    name,
    state: isExpired || valid_from > now ? 'down' : 'degraded',
    since: isExpired ? valid_to.toISOString() : null,
    sentence,
  }
}

const FILES = {
  certificate: message('attention.of_certificate'),
  key: message('attention.of_key'),
} as const

const WHY: Readonly<Record<string, (file: Message) => Message>> = {
  ENOENT: (file) => message('attention.file_absent', { file }),
  EACCES: (file) => message('attention.file_forbidden', { file }),
  EISDIR: (file) => message('attention.file_folder', { file }),
}

/** Health shows these messages to anybody, so they contain no paths; the log and a failed start do. */
const readText = (what: keyof typeof FILES, path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? 'unknown error'
    const file = FILES[what]
    throw new CertificateError('file', WHY[code]?.(file) ?? message('attention.file_unreadable', { file, error: code }))
  }
}

const parseCertificate = (text: string): X509Certificate => {
  try {
    return new X509Certificate(text)
  } catch {
    throw new CertificateError('cert_unreadable', message('attention.cert_unreadable'))
  }
}

const parseKey = (text: string): KeyObject => {
  if (/ENCRYPTED/.test(text)) throw new CertificateError('key_encrypted', message('attention.key_encrypted'))
  try {
    return createPrivateKey(text)
  } catch {
    throw new CertificateError('key_unreadable', message('attention.key_unreadable'))
  }
}

/** OpenSSL has further requirements, such as the length of a key. */
const usable = (pair: CertificatePair): CertificatePair => {
  try {
    createSecureContext(secureContextOptions(pair))
    return pair
  } catch (failure) {
    const error = failure instanceof Error ? failure.message : String(failure)
    throw new CertificateError('unusable', message('attention.pair_unusable', { error }))
  }
}

/** The names that a browser checks, or the subject if there are none. */
const certificateName = ({ subjectAltName, subject }: X509Certificate): string =>
  (subjectAltName ?? subject).replaceAll('\n', ', ')
