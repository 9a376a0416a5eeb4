// Makes a self-signed certificate, so that a panel can use TLS before it has a better one.
import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseIp } from '@panel/shared/address/ip.ts'
import { bits, empty, explicit, identifier, integer, octets, sequence, set, tagged, text, time, yes } from './der.ts'

export interface SelfSigned {
  readonly cert: string
  readonly key: string
  /** Lets the operator recognise the certificate in the browser. */
  readonly fingerprint: string
  readonly valid_to: Date
}

/** An error that the operator can fix. */
export class SelfSignedError extends Error {}

const DAY_MS = 24 * 60 * 60 * 1000
/** The longest lifetime that all systems accept for a trusted certificate. */
const LIFE_DAYS = 825
/** Clients' clocks may be slow. */
const BEFORE_MS = DAY_MS

/**
 * Writes panel.crt and panel.key into `folder`, owned like the folder, so that the web daemon can read a pair that root
 * makes. `names` are host names and IP addresses, the main one first. An existing self-signed pair is replaced, which
 * renews it; any other is not.
 */
export function makeSelfSigned(folder: string, names: readonly string[], now: Date = new Date()): SelfSigned {
  const [cert, key] = [join(folder, 'panel.crt'), join(folder, 'panel.key')]
  checkNames(names)
  refuseToReplace(cert, key)
  const valid_to = new Date(now.getTime() + LIFE_DAYS * DAY_MS)
  const made = signed(names, new Date(now.getTime() - BEFORE_MS), valid_to)
  // The certificate comes last: a daemon that checks in between finds two files that do not match, and waits.
  put(folder, key, made.key, 0o600)
  put(folder, cert, made.cert, 0o644)
  return { cert, key, fingerprint: new X509Certificate(made.cert).fingerprint256, valid_to }
}

const HOST_NAME =
  /^(?=.{1,253}$)(\*\.)?([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

const checkNames = (names: readonly string[]): void => {
  if (names.length === 0)
    throw new SelfSignedError(
      'Say what the panel is reached by: a host name or an IP address of this server, or several.',
    )
  const wrong = names.filter((name) => parseIp(name) === null && !HOST_NAME.test(name))
  if (wrong.length > 0)
    throw new SelfSignedError(
      `${wrong.map((name) => `"${name}"`).join(', ')}: write host names or IP addresses, without https:// and without a port.`,
    )
}

const refuseToReplace = (cert: string, key: string): void => {
  if (existsSync(cert) ? isSelfSigned(cert) : !existsSync(key)) return
  throw new SelfSignedError(
    `${cert} and ${key} are there already and are not a self-signed pair. Move them away first, or name another folder.`,
  )
}

const isSelfSigned = (path: string): boolean => {
  try {
    const found = new X509Certificate(readFileSync(path))
    return found.verify(found.publicKey)
  } catch {
    return false
  }
}

/** The identifiers of RFC 5280 and RFC 4055. */
const OID = {
  sha256WithRsa: identifier('1.2.840.113549.1.1.11'),
  commonName: identifier('2.5.4.3'),
  keyUsage: identifier('2.5.29.15'),
  subjectAltName: identifier('2.5.29.17'),
  basicConstraints: identifier('2.5.29.19'),
  extKeyUsage: identifier('2.5.29.37'),
  serverAuth: identifier('1.3.6.1.5.5.7.3.1'),
} as const
const ALGORITHM = sequence(OID.sha256WithRsa, empty())
const VERSION_3 = explicit(0, integer([2]))
/** The bits digitalSignature (0) and keyEncipherment (2). */
const KEY_USAGE = bits(Buffer.from([0b1010_0000]), 5)

const signed = (names: readonly string[], valid_from: Date, valid_to: Date): { cert: string; key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  // A common name has at most 64 characters and is only displayed; programs check the names below.
  const subject = sequence(set(sequence(OID.commonName, text((names[0] ?? '').slice(0, 64)))))
  const body = sequence(
    VERSION_3,
    integer([1, ...randomBytes(15)]),
    ALGORITHM,
    subject,
    sequence(time(valid_from), time(valid_to)),
    subject,
    publicKey,
    explicit(3, sequence(...extensions(names))),
  )
  const certificate = sequence(body, ALGORITHM, bits(sign('sha256', body, privateKey)))
  return { cert: asPem(certificate), key: privateKey }
}

/** Empty basic constraints say that the certificate signs no others. */
const extensions = (names: readonly string[]): Buffer[] => [
  sequence(OID.basicConstraints, yes(), octets(sequence())),
  sequence(OID.keyUsage, yes(), octets(KEY_USAGE)),
  sequence(OID.extKeyUsage, octets(sequence(OID.serverAuth))),
  sequence(OID.subjectAltName, octets(sequence(...names.map(alternative)))),
]

const alternative = (name: string): Buffer => {
  const ip = parseIp(name)
  if (!ip) return tagged(2, Buffer.from(name, 'ascii'))
  return tagged(7, Buffer.from(ip.value.toString(16).padStart(ip.family === 4 ? 8 : 32, '0'), 'hex'))
}

const asPem = (der: Buffer): string =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...(der.toString('base64').match(/.{1,64}/g) ?? []),
    '-----END CERTIFICATE-----',
    '',
  ].join('\n')

/** Written beside and renamed: never incomplete, and never through a symbolic link. */
const put = (folder: string, path: string, text: string, mode: number): void => {
  const { uid, gid } = statSync(folder)
  const unfinished = `${path}.${randomBytes(8).toString('hex')}`
  const file = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(file, text)
    if (process.getuid?.() === 0) fchownSync(file, uid, gid)
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
}
