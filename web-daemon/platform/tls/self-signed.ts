// Makes a self-signed certificate, so that a panel can use TLS before it has a better one.
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
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
import { isIP } from 'node:net'
import { join } from 'node:path'
import forge from 'node-forge'

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
  const made = sign(names, new Date(now.getTime() - BEFORE_MS), valid_to)
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
  const wrong = names.filter((name) => isIP(name) === 0 && !HOST_NAME.test(name))
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

const sign = (names: readonly string[], valid_from: Date, valid_to: Date): { cert: string; key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
  certificate.validity.notBefore = valid_from
  certificate.validity.notAfter = valid_to
  // A common name has at most 64 characters and is only displayed; programs check the names below.
  const subject = [{ name: 'commonName', value: (names[0] ?? '').slice(0, 64) }]
  certificate.setSubject(subject)
  certificate.setIssuer(subject)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
    },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create())
  return { cert: forge.pki.certificateToPem(certificate).replaceAll('\r', ''), key: privateKey }
}

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
