// A listener as the panel keeps it in memory.
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import type { OpenSocket, Place } from '../../platform/http/sockets.ts'
import type { CertificatePair } from '../../platform/tls/certificate.ts'
import type { SealedPair } from './sealed-pair.ts'

export interface Listener extends Place {
  readonly state: ListenerView['state']
  readonly listener_id: number | null
  /** The stored pair of a kept listener that is not open. */
  readonly tls?: SealedPair | null
  readonly pair: CertificatePair | null
  /** Null while it is closed. */
  readonly socket: OpenSocket | null
  /** Why it is closed although it should not be, or "". */
  readonly errno: string
  /** The end of a trial, in milliseconds of the monotonic clock. */
  readonly until: number
  /** When its certificate took the place of another at an open socket, as `Way` counts; null where it has its own. */
  readonly shown_since: number | null
}
