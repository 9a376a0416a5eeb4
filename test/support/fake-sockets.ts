// The sockets of the panel without a kernel: which are open, and what certificate each shows.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import type { Server } from 'node:http'
import type { OpenSocket, Place } from '@panel/web-daemon/platform/http/sockets.ts'
import type { CertificatePair } from '@panel/web-daemon/platform/tls/certificate.ts'

export const keyOf = ({ address, port }: Place): string => `${address} ${port}`

const fingerprints = new Map<string, string>()
export const fingerprintOf = (pair?: CertificatePair): string => {
  if (!pair) return ''
  const known = fingerprints.get(pair.cert) ?? new X509Certificate(pair.cert).fingerprint256
  fingerprints.set(pair.cert, known)
  return known
}

export class FakeSockets {
  readonly #open = new Map<string, OpenSocket>()
  /** The fingerprint that each shows to a new connection; "" without TLS. */
  readonly shown = new Map<string, string>()
  /** Connections and changes of certificates, counted. */
  now = 0
  /** Addresses that no interface has at present; the configured one is never among them. */
  readonly gone = new Set<string>()

  get all(): readonly OpenSocket[] {
    return [...this.#open.values()]
  }
  open = async ({ address, port }: Place, pair?: CertificatePair): Promise<OpenSocket> => {
    const errno = this.gone.has(address)
      ? 'EADDRNOTAVAIL'
      : this.#open.has(keyOf({ address, port }))
        ? 'EADDRINUSE'
        : ''
    if (errno !== '') throw Object.assign(new Error(errno), { code: errno })
    const opened = { address, port, server: {} as Server }
    this.#open.set(keyOf(opened), opened)
    this.shown.set(keyOf(opened), fingerprintOf(pair))
    return opened
  }
  close = async (opened: OpenSocket): Promise<void> => void this.#open.delete(keyOf(opened))
  closeAll = async (): Promise<void> => this.#open.clear()
  renew = (opened: OpenSocket, pair: CertificatePair): number => {
    assert.ok(this.#open.has(keyOf(opened)) && this.shown.get(keyOf(opened)), 'a socket that is open, with TLS')
    this.shown.set(keyOf(opened), fingerprintOf(pair))
    return ++this.now
  }
}
