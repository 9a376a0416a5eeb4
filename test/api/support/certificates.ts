// Pairs of certificate and key for tests, and clients that look at what a server shows.
import { X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { readCertificatePair, type CertificatePair, type TlsFiles } from '@panel/web-daemon/platform/tls/certificate.ts'
import { makeSelfSigned } from '@panel/web-daemon/platform/tls/self-signed.ts'

export const filesIn = (place: string): TlsFiles => ({ cert: join(place, 'panel.crt'), key: join(place, 'panel.key') })
export const pairIn = (place: string): CertificatePair => readCertificatePair(filesIn(place))
export const fingerprintIn = (place: string): string =>
  new X509Certificate(readFileSync(filesIn(place).cert)).fingerprint256

export class Certificates {
  readonly folder = mkdtempSync(join(tmpdir(), 'panel-tls-'))

  /** A folder of that name with a pair in it, for localhost and 127.0.0.1, made at the time that is given. */
  make(name: string, now = new Date()): string {
    const place = join(this.folder, name)
    mkdirSync(place, { recursive: true })
    makeSelfSigned(place, ['localhost', '127.0.0.1'], now)
    return place
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}

/** A connection whose handshake is done; whom it speaks to is not looked at unless the options say so. */
export const dial = (base: string, options: ConnectionOptions = { rejectUnauthorized: false }): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base)
    const socket = connect({ host: hostname, port: Number(port), ...options })
    socket.once('secureConnect', () => resolve(socket)).once('error', reject)
  })

/** The fingerprint of the certificate that a new connection is shown. */
export const shownBy = async (base: string): Promise<string> => {
  const socket = await dial(base)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
