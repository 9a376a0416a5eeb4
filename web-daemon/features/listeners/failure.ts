// Why the panel cannot listen somewhere, in the operator's words.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Place } from '../../platform/http/sockets.ts'
import { Refusal } from '../../platform/http/refusal.ts'

/** The name of a kernel's error; "" for anything else. */
export const errnoOf = (failure: unknown): string =>
  failure instanceof Error && 'code' in failure && typeof failure.code === 'string' ? failure.code : ''

/** `own`: where the panel listens already. */
export function listenerFailed(failure: unknown, place: Place, own: readonly Place[]): Refusal {
  const errno = errnoOf(failure)
  if (errno === '') throw failure
  return new Refusal('LISTENER_FAILED', why(errno, place, own), {
    field: errno === 'EADDRNOTAVAIL' ? 'address' : 'port',
    details: { errno, ...place },
  })
}

const why = (errno: string, { address, port }: Place, own: readonly Place[]): Message => {
  const isOwn = own.some((one) => one.port === port)
  if (errno === 'EADDRINUSE' && isOwn) return message('listener.own_in_use', { port })
  if (errno === 'EADDRINUSE') return message('listener.in_use', { address, port })
  if (errno === 'EADDRNOTAVAIL') return message('listener.no_such_address', { address })
  if (errno === 'EACCES') return message('listener.port_forbidden', { port })
  return message('listener.failed', { address, port, errno })
}
