// What restores a tunnel after a reboot: as requested, or what the host supports (decisions.md, R10).
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { whyNotKept } from '@panel/shared/host/savers.ts'
import { networkdLimits } from '@panel/shared/tunnel/networkd-limits.ts'
import { isIpv6Kind, type LinkConfig } from '@panel/shared/tunnel/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { warn, type DraftContext } from './context.ts'

export function draftPersistence(draft: DraftContext): number {
  const { body, problems, settings } = draft
  const requested = body.persistence_type_id ?? settings.get('tunnel.default_persistence')
  const reason = whyNotKept(requested, draft.facts.helper)
  if (reason === null) return requested
  if (body.persistence_type_id !== undefined) {
    problems.add('persistence_type_id', 'INVALID_PERSISTENCE_TYPE', reason)
    return requested
  }
  warn(draft, 'RUNTIME_ONLY_PERSISTENCE', 'persistence_type_id', message('tunnel.gone_after_reboot', { reason }))
  return PERSISTENCE_TYPES.Runtime
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
