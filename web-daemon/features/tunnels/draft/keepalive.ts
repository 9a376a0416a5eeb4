// Whether a systemd unit pings the far end through the tunnel, and how (decisions.md, settings keepalive.*).
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { whyNoSaver } from '@panel/shared/host/savers.ts'
import { farEnds } from '@panel/shared/tunnel/far-end.ts'
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { NewTunnel } from '../record.ts'
import type { DraftContext } from './context.ts'

export type KeepaliveFields = Pick<NewTunnel, 'keepalive_interval_seconds' | 'keepalive_packet_size'>

/**
 * The default from the settings applies only to tunnels that can have one; a request for one that cannot is refused
 * with the reason.
 */
export function draftKeepalive(
  draft: DraftContext,
  persistence_type_id: number,
  addresses: readonly TunnelAddress[],
): KeepaliveFields {
  const { body, problems, settings } = draft
  const keepalive_packet_size = body.keepalive_packet_size ?? settings.get('keepalive.packet_size')
  const hasUnit = settings.get('keepalive.enabled_by_default') && settings.get('keepalive.mode') === 'systemd_unit'
  const standard = hasUnit ? settings.get('keepalive.interval_seconds') : null
  const interval = body.keepalive_interval_seconds === undefined ? standard : body.keepalive_interval_seconds
  const reason = interval === null ? null : reasonUnavailable(draft, persistence_type_id, addresses)
  if (reason === null) return { keepalive_interval_seconds: interval, keepalive_packet_size }
  if (body.keepalive_interval_seconds !== undefined)
    problems.add('keepalive_interval_seconds', 'INVALID_KEEPALIVE', reason)
  return { keepalive_interval_seconds: null, keepalive_packet_size }
}

function reasonUnavailable(
  draft: DraftContext,
  persistence_type_id: number,
  addresses: readonly TunnelAddress[],
): Message | null {
  if (persistence_type_id === PERSISTENCE_TYPES.Runtime) return message('tunnel.keepalive_runtime')
  if (farEnds(addresses).length === 0) return message('tunnel.keepalive_no_far_end')
  return whyNoSaver('systemd', draft.facts.helper)
}
