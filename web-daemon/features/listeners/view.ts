// A listener as it is sent: never its key.
import { X509Certificate } from 'node:crypto'
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import type { OpenSocket, Place } from '../../platform/http/sockets.ts'
import type { CertificatePair } from '../../platform/tls/certificate.ts'

export interface Listener extends Place {
  readonly state: ListenerView['state']
  readonly listener_id: number | null
  /** As stored, of a kept one that is not open. */
  readonly tls?: Pick<CertificatePair, 'cert' | 'key'> | null
  readonly pair: CertificatePair | null
  /** Null while it is closed. */
  readonly socket: OpenSocket | null
  /** Why it is closed although it should not be, or "". */
  readonly errno: string
  /** Of a trial, in milliseconds of the monotonic clock. */
  readonly until: number
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.address === b.address && a.port === b.port
}

export function listenerView(one: Listener, through: Place, monotonic: number): ListenerView {
  const { listener_id, state, address, port, pair, tls, socket, errno, until } = one
  return {
    listener_id,
    state,
    address,
    port,
    is_tls: (pair ?? tls ?? null) !== null,
    certificate: pair && certificateView(pair),
    is_open: socket !== null,
    is_this: socket !== null && isSamePlace(one, through),
    errno,
    seconds_left: state === 'trial' ? Math.max(0, Math.ceil((until - monotonic) / 1000)) : null,
  }
}

const certificateView = ({ cert, subject, valid_from, valid_to }: CertificatePair) => ({
  subject,
  valid_from: valid_from.toISOString(),
  valid_to: valid_to.toISOString(),
  fingerprint: new X509Certificate(cert).fingerprint256,
})
