// Conditions between settings, beyond the check of each value.
import { TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import { INTERFACE_NAME_PATTERN, LINK_KINDS } from '@panel/shared/tunnel/model.ts'
import { whyNoTunnelName } from '@panel/shared/tunnel/names.ts'
import type { SettingKey, SettingValues } from './definitions.ts'
import { renderName } from './naming.ts'

export interface Rule {
  readonly keys: readonly SettingKey[]
  /** The message for the operator, or null if the rule holds. */
  readonly broken: (values: SettingValues) => string | null
}

type NumberKey = { [K in SettingKey]: SettingValues[K] extends number ? K : never }[SettingKey]

const notBelow = (higher: NumberKey, lower: NumberKey, what: string): Rule => ({
  keys: [lower, higher],
  broken: (values) =>
    values[higher] >= values[lower]
      ? null
      : `${what}: ${higher} (${values[higher]}) must not be below ${lower} (${values[lower]}).`,
})

/** Tunnels are numbered from 1; a template without room for this many is refused. */
const NUMBERS_TO_FIT = 999
const NAME = new RegExp(INTERFACE_NAME_PATTERN)

const naming: Rule = {
  keys: ['tunnel.naming_template', 'tunnel.side_labels'],
  broken: (values) => {
    if (!values['tunnel.naming_template'].includes('{number}'))
      return 'The naming template must hold {number}: otherwise every tunnel would have the same name.'
    if (values['tunnel.side_labels'].a === values['tunnel.side_labels'].b) return 'The two side labels must differ.'
    const names = LINK_KINDS.flatMap((kind) =>
      Object.values(TUNNEL_SIDES).map((side) => renderName({ get: (key) => values[key] }, kind, side, NUMBERS_TO_FIT)),
    )
    const taken = names.find((name) => whyNoTunnelName(name) !== null)
    if (taken !== undefined) return `The naming template makes ${taken}, which ${whyNoTunnelName(taken)?.message}.`
    const unfit = names.find((name) => !NAME.test(name))
    return unfit === undefined
      ? null
      : `The naming template makes ${unfit}, which is no name for an interface: 1 to 15 letters, digits, "_", "." and "-", beginning with a letter or digit.`
  },
}

const sessions: Rule = {
  keys: ['security.token_ttl_minutes', 'security.refresh_ttl_days'],
  broken: (values) =>
    values['security.token_ttl_minutes'] <= values['security.refresh_ttl_days'] * 24 * 60
      ? null
      : 'A session must not last longer than it can be renewed: lower security.token_ttl_minutes or raise security.refresh_ttl_days.',
}

export const RULES: readonly Rule[] = [
  notBelow('monitor.down_loss_pct', 'monitor.degraded_loss_pct', 'What is down is degraded too'),
  notBelow(
    'diagnostics.manual_ping_max_count',
    'diagnostics.manual_ping_count',
    'The default is within what may be asked for',
  ),
  notBelow(
    'diagnostics.mtu_probe_max',
    'diagnostics.mtu_probe_min',
    'A probe goes from the smallest to the largest packet',
  ),
  notBelow('metrics.disk_critical_pct', 'metrics.disk_warn_pct', 'A warning comes before it is critical'),
  naming,
  sessions,
]
