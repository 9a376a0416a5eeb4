// Two listeners of one socket: a port can be bound once, so another certificate at the same address and port is shown
// by the socket that is open there, to every connection from then on.
import type { ListenerView } from '@panel/shared/api/listeners.ts'
import type { Place, Sockets, Way } from '../../platform/http/sockets.ts'
import type { CertificatePair } from '../../platform/tls/certificate.ts'
import { listenerFailed } from './failure.ts'
import type { Listener } from './listener.ts'

type OpenListener = Listener & { readonly socket: NonNullable<Listener['socket']> }

/** The one that alone is open there, and where the certificate can change: not from or to plain HTTP. */
export function openThere(
  all: readonly Listener[],
  place: Place,
  pair: CertificatePair | null,
  state?: Listener['state'],
): OpenListener | null {
  const there = all.filter((one): one is OpenListener => one.socket !== null && isSamePlace(one, place))
  const [only] = there.length === 1 ? there : []
  if (!only || (state && only.state !== state)) return null
  return (only.pair === null) === (pair === null) ? only : null
}

/** At a place of its own, or else as another certificate of the listener that is there. */
export async function openOnTrial(
  sockets: Pick<Sockets, 'all' | 'open' | 'renew'>,
  all: readonly Listener[],
  place: Place,
  pair: CertificatePair | null,
): Promise<Pick<OpenListener, 'socket' | 'shown_since'>> {
  const there = pair && openThere(all, place, pair)
  // Without tickets nobody resumes a session, which would prove nothing, and each new connection can keep it.
  if (there) return { socket: there.socket, shown_since: sockets.renew(there.socket, pair, { hasTickets: false }) }
  const socket = await sockets.open(place, pair ?? undefined).catch((failure: unknown) => {
    throw listenerFailed(failure, place, sockets.all)
  })
  return { socket, shown_since: null }
}

/** Who has the socket once `one` gives it up. */
export function partnerOf(all: readonly Listener[], one: Listener): Listener | null {
  return all.find((other) => other.socket === one.socket && other.state !== one.state) ?? null
}

/**
 * Whether a connection proves the listener. An earlier connection, or one that resumes a session, was not shown the
 * certificate.
 */
export function isProvenBy(one: Listener, way: Way): boolean {
  return isSamePlace(one, way) && (one.shown_since === null || (way.accepted_at > one.shown_since && !way.is_resumed))
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.address === b.address && a.port === b.port
}

/** For the audit log, as is the next. */
export function triedWords({ address, port, is_in_place }: ListenerView, seconds: number): string {
  const there = `${address} port ${port}`
  return is_in_place
    ? `Shows another certificate at ${there} for ${seconds} s`
    : `Listens at ${there} as well, for ${seconds} s`
}

export function endedWords({ address, port, shown_since }: Pick<Listener, keyof Place | 'shown_since'>): string {
  const there = `${address} port ${port}`
  return shown_since === null ? `Closed the listener at ${there}` : `Shows the certificate of before at ${there} again`
}
