// IP forwarding as it is sent (decisions.md, F28), and what is worth a word about it.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ForwardingView } from '@panel/shared/api/forwarding.ts'
import { FORWARDING, SWITCHES, SYSCTL_KEYS, type ForwardingFound } from '@panel/shared/forwarding/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { SettingsReader } from '../../platform/settings.ts'

export function forwardingView(
  { state, sysctl_path, conntrack }: ForwardingFound,
  backend: { readonly active: string; readonly namespace: string },
): ForwardingView {
  const { live, saved } = state
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
    conntrack_max: conntrack?.max ?? null,
    conntrack_usage_percent: usageOf(conntrack),
    namespace: backend.namespace,
  }
}

const previousValues = ({
  switches,
  previous,
}: NonNullable<ForwardingFound['state']['saved']>): Record<string, 0 | 1> =>
  Object.fromEntries(
    SWITCHES.filter((name) => FORWARDING.includes(name) || switches[name]).map((name) => [
      SYSCTL_KEYS[name],
      previous[name] ? 1 : 0,
    ]),
  )

const usageOf = (conntrack: ForwardingFound['conntrack']): number | null =>
  conntrack && conntrack.max > 0 ? Math.round((conntrack.count / conntrack.max) * 1000) / 10 : null

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

export function conntrackWarnings({ conntrack }: ForwardingFound, settings: SettingsReader): Warning[] {
  const usage = usageOf(conntrack)
  if (!conntrack || usage === null || usage < settings.get('routes.warn_conntrack_usage_percent')) return []
  return [
    {
      code: 'CONNTRACK_NEARLY_FULL',
      ...message('forwarding.conntrack_full', { count: conntrack.count, max: conntrack.max, usage }),
      field: '',
    },
  ]
}
