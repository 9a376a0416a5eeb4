// IP forwarding as it is sent (decisions.md, F28), and what is worth a word about it.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ForwardingView } from '@panel/shared/api/forwarding.ts'
import {
  CONNTRACK_MAX_KEY,
  FORWARDING,
  SWITCHES,
  SYSCTL_KEYS,
  type ForwardingFound,
} from '@panel/shared/forwarding/model.ts'
import { doubled } from '@panel/shared/forwarding/size.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { SettingsReader } from '../../platform/settings.ts'

export function forwardingView(
  found: ForwardingFound,
  backend: { readonly active: string; readonly namespace: string },
): ForwardingView {
  const { state, sysctl_path, conntrack } = found
  const { live, conntrack_max, saved } = state
  return {
    ipv4_forwarding: live.ipv4,
    ipv6_forwarding: live.ipv6,
    connection_accounting: live.conntrack_acct,
    connection_timestamps: live.conntrack_timestamp,
    backend: backend.active,
    sysctl_path,
    panel_managed: saved !== null,
    previous_values: saved ? previousValues(saved) : {},
    can_revert: saved !== null,
    conntrack_count: conntrack?.count ?? null,
    conntrack_max,
    conntrack_max_set: saved?.conntrack_max?.value ?? null,
    conntrack_max_doubled: doubled(found),
    conntrack_usage_percent: usageOf(found),
    namespace: backend.namespace,
  }
}

const previousValues = ({
  switches,
  previous,
  conntrack_max,
}: NonNullable<ForwardingFound['state']['saved']>): Record<string, number> => ({
  ...Object.fromEntries(
    SWITCHES.filter((name) => FORWARDING.includes(name) || switches[name]).map((name) => [
      SYSCTL_KEYS[name],
      previous[name] ? 1 : 0,
    ]),
  ),
  ...(conntrack_max && { [CONNTRACK_MAX_KEY]: conntrack_max.previous }),
})

const usageOf = ({ conntrack, state: { conntrack_max: max } }: ForwardingFound): number | null =>
  conntrack && max ? Math.round((conntrack.count / max) * 1000) / 10 : null

export const accountingWarnings = ({ conntrack, state }: ForwardingFound): Warning[] =>
  conntrack && !state.live.conntrack_acct
    ? [
        {
          code: 'CONNTRACK_ACCT_OFF',
          ...message('forwarding.not_counted'),
          field: '',
        },
      ]
    : []

/** Another program may have changed what the panel set. */
export function sizeWarnings({ state: { conntrack_max: max, saved } }: ForwardingFound): Warning[] {
  const size = saved?.conntrack_max?.value
  if (size === undefined || max === null || max === size) return []
  return [{ code: 'CONNTRACK_MAX_CHANGED', ...message('forwarding.size_changed', { size, max }), field: '' }]
}

export function conntrackWarnings(found: ForwardingFound, settings: SettingsReader): Warning[] {
  const { conntrack, state } = found
  const usage = usageOf(found)
  if (!conntrack || usage === null || usage < settings.get('routes.warn_conntrack_usage_percent')) return []
  return [
    {
      code: 'CONNTRACK_NEARLY_FULL',
      ...message('forwarding.conntrack_full', { count: conntrack.count, max: state.conntrack_max ?? 0, usage }),
      field: '',
    },
  ]
}
