// A listener as it is sent: never its key.
import { X509Certificate } from 'node:crypto'
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import type { Way } from '../../platform/http/sockets.ts'
import type { CertificatePair } from '../../platform/tls/certificate.ts'
import type { Listener } from './listener.ts'
import { isProvenBy } from './sharing.ts'

/** `partner`: the one that shares its socket. */
export function listenerView(
  one: Listener,
  through: Way,
  monotonic: number,
  partner: Listener | null = null,
): ListenerView {
  const { listener_id, state, address, port, pair, tls, socket, errno, until, shown_since } = one
  return {
    listener_id,
    state,
    address,
    port,
    is_tls: (pair ?? tls ?? null) !== null,
    certificate: pair && certificateView(pair),
    is_open: socket !== null,
    is_this:
      socket !== null && isProvenBy(one, through) && !(partner?.state === 'trial' && isProvenBy(partner, through)),
    is_in_place: state === 'trial' && shown_since !== null,
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
