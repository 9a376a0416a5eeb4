// How the kept listener is: part of the panel's health, and of what needs the operator.
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { Component, HostIncident } from '../../platform/health.ts'
import type { Place } from '../../platform/http/sockets.ts'
import { certificateIncident, certificateWarning } from '../../platform/tls/certificate.ts'
import type { Listener } from './listener.ts'
import { UNREADABLE_KEY } from './sealed-pair.ts'

export function listenerComponent(kept: Listener, configured: Place, now: Date): Component {
  const trouble = kept.socket ? certificateTrouble(kept, now) : fallback(kept, configured)
  const { address, port } = kept
  return {
    name: 'listener',
    status: trouble ? 'degraded' : 'ok',
    detail: trouble ?? message('listener.kept', { address, port }),
  }
}

export function listenerIncident(kept: Listener, now: Date): HostIncident | null {
  const trouble = kept.socket && certificateTrouble(kept, now)
  return kept.pair && trouble && certificateIncident(kept.pair, trouble, now)
}

function fallback({ address, port, errno }: Listener, configured: Place): Message {
  const places = { address, port, configured: configured.address, configured_port: configured.port }
  return errno === UNREADABLE_KEY
    ? message('listener.key_unreadable_stored', places)
    : message('listener.fallback', { ...places, errno })
}

/** Nobody renews it by files. */
const certificateTrouble = ({ address, port, pair }: Listener, now: Date): Message | null =>
  pair && certificateWarning(pair, now)
    ? message('listener.certificate_ends', { address, port, at: pair.valid_to.toISOString() })
    : null
