// What restores a tunnel after a reboot: as requested, or what the host supports (decisions.md, R10).
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { networkdLimits } from '@panel/shared/tunnel/networkd-limits.ts'
import { isIpv6Kind, type LinkConfig, type PersistenceBackend } from '@panel/shared/tunnel/model.ts'
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import type { HostFacts } from '../facts.ts'
import { warn, type DraftContext } from './context.ts'

export function draftPersistence(draft: DraftContext): number {
  const { body, problems, settings } = draft
  const requested = body.persistence_type_id ?? settings.get('tunnel.default_persistence')
  const reason = reasonUnavailable(requested, draft)
  if (reason === null) return requested
  if (body.persistence_type_id !== undefined) {
    problems.add('persistence_type_id', 'INVALID_PERSISTENCE_TYPE', reason)
    return requested
  }
  warn(draft, 'RUNTIME_ONLY_PERSISTENCE', 'persistence_type_id', message('tunnel.gone_after_reboot', { reason }))
  return PERSISTENCE_TYPES.Runtime
}

interface PersistenceFacts {
  readonly facts: Pick<HostFacts, 'helper'>
}

const SAVER_OF: Readonly<Record<number, PersistenceBackend>> = {
  [PERSISTENCE_TYPES.Systemd]: 'systemd',
  [PERSISTENCE_TYPES.Networkd]: 'networkd',
}

/** Why this persistence is not available on the host; null if it is. */
export function reasonUnavailable(persistence_type_id: number, host: PersistenceFacts): Message | null {
  const by = SAVER_OF[persistence_type_id]
  return by === undefined ? null : whyUnavailable(host, by)
}

export function whyUnavailable({ facts }: PersistenceFacts, by: PersistenceBackend): Message | null {
  const saver = facts.helper.savers.find((known) => known.by === by)
  if (saver?.available) return null
  return message('tunnel.cannot_be_kept', {
    keeper: by === 'systemd' ? by : 'systemd-networkd',
    detail: saver?.detail ? fromRoot(saver.detail) : message('tunnel.keeper_unknown'),
  })
}

/** What networkd cannot express is refused by name, so that no option is lost silently. */
export function checkLimits({ problems }: DraftContext, interface_name: string, config: LinkConfig): void {
  const limits = networkdLimits(interface_name, config).map(({ field, why }) => ({
    field: isIpv6Kind(config.kind) && field === 'tos' ? 'traffic_class' : field,
    why,
  }))
  if (limits.length === 0) return
  problems.add(
    'persistence_type_id',
    'INVALID_PERSISTENCE_TYPE',
    message('tunnel.networkd_limits', { limits: limits.map((limit) => message('tunnel.limit', limit)) }),
    { fields: limits.map(({ field }) => field) },
  )
}
