// IP forwarding as it is sent (decisions.md, F28), and what is worth a word about it.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ForwardingView } from '@panel/shared/api/forwarding.ts'
import type { ForwardingFound } from '@panel/shared/forwarding/model.ts'
import type { SettingsReader } from '../../platform/settings.ts'

export function forwardingView(
  { state, sysctl_path, conntrack }: ForwardingFound,
  backend: { readonly active: string; readonly namespace: string },
): ForwardingView {
  const { live, saved } = state
  return {
    ipv4_forwarding: live.ipv4,
    ipv6_forwarding: live.ipv6,
    backend: backend.active,
    sysctl_path,
    panel_managed: saved !== null,
    previous_values: saved
      ? {
          'net.ipv4.ip_forward': saved.previous.ipv4 ? 1 : 0,
          'net.ipv6.conf.all.forwarding': saved.previous.ipv6 ? 1 : 0,
        }
      : {},
    can_revert: saved !== null,
    conntrack_count: conntrack?.count ?? null,
    conntrack_max: conntrack?.max ?? null,
    conntrack_usage_percent: usageOf(conntrack),
    namespace: backend.namespace,
  }
}

const usageOf = (conntrack: ForwardingFound['conntrack']): number | null =>
  conntrack && conntrack.max > 0 ? Math.round((conntrack.count / conntrack.max) * 1000) / 10 : null

export const accountingWarnings = ({ conntrack }: ForwardingFound): Warning[] =>
  conntrack && !conntrack.is_accounting
    ? [
        {
          code: 'CONNTRACK_ACCT_OFF',
          message:
            'The kernel counts no bytes for single connections. The traffic of the rules is counted all the same. To see the bytes of each connection set net.netfilter.nf_conntrack_acct to 1: it holds for those that begin after that.',
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
      message: `The kernel tracks ${conntrack.count} of at most ${conntrack.max} connections (${usage} %): when it can track no more, new connections are dropped. Raise net.netfilter.nf_conntrack_max.`,
      field: '',
    },
  ]
}
