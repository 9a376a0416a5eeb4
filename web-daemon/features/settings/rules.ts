// Conditions between settings, beyond the check of each value.
import { TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import { INTERFACE_NAME_PATTERN, LINK_KINDS } from '@panel/shared/tunnel/model.ts'
import { whyNoTunnelName } from '@panel/shared/tunnel/names.ts'
import type { SettingKey, SettingValues } from './definitions.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { renderName } from './naming.ts'

export interface Rule {
  readonly keys: readonly SettingKey[]
  /** The message for the operator, or null if the rule holds. */
  readonly broken: (values: SettingValues) => Message | null
}

type NumberKey = { [K in SettingKey]: SettingValues[K] extends number ? K : never }[SettingKey]

const notBelow = (higher: NumberKey, lower: NumberKey, why: Message): Rule => ({
  keys: [lower, higher],
  broken: (values) =>
    values[higher] >= values[lower]
      ? null
      : message('setting.not_below', {
          why,
          field: higher,
          value: values[higher],
          other_field: lower,
          least: values[lower],
        }),
})

/** Tunnels are numbered from 1; a template without room for this many is refused. */
const NUMBERS_TO_FIT = 999
const NAME = new RegExp(INTERFACE_NAME_PATTERN)

const naming: Rule = {
  keys: ['tunnel.naming_template', 'tunnel.side_labels'],
  broken: (values) => {
    if (!values['tunnel.naming_template'].includes('{number}'))
      return message('setting.template_number', { placeholder: '{number}' })
    if (values['tunnel.side_labels'].a === values['tunnel.side_labels'].b) return message('setting.labels_differ')
    const names = LINK_KINDS.flatMap((kind) =>
      Object.values(TUNNEL_SIDES).map((side) => renderName({ get: (key) => values[key] }, kind, side, NUMBERS_TO_FIT)),
    )
    const taken = names.find((name) => whyNoTunnelName(name) !== null)
    const reason = taken === undefined ? null : whyNoTunnelName(taken)
    if (taken !== undefined && reason) return message('setting.template_makes', { name: taken, reason })
    const unfit = names.find((name) => !NAME.test(name))
    return unfit === undefined ? null : message('setting.template_unfit', { name: unfit })
  },
}

const sessions: Rule = {
  keys: ['security.token_ttl_minutes', 'security.refresh_ttl_days'],
  broken: (values) =>
    values['security.token_ttl_minutes'] <= values['security.refresh_ttl_days'] * 24 * 60
      ? null
      : message('setting.sessions', {
          field: 'security.token_ttl_minutes',
          other_field: 'security.refresh_ttl_days',
        }),
}

export const RULES: readonly Rule[] = [
  notBelow('monitor.down_loss_pct', 'monitor.degraded_loss_pct', message('setting.why_loss')),
  notBelow('diagnostics.manual_ping_max_count', 'diagnostics.manual_ping_count', message('setting.why_count')),
  notBelow('diagnostics.mtu_probe_max', 'diagnostics.mtu_probe_min', message('setting.why_probe')),
  notBelow('metrics.disk_critical_pct', 'metrics.disk_warn_pct', message('setting.why_disk')),
  naming,
  sessions,
]
