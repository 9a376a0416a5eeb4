// Labels of relay rules.
import type { TunnelOnPath, RouteHealthView, RouteView } from '@panel/shared/api/routes/answers.ts'
import type { StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

/** The configured state, regardless of the host. */
export const configuredLabel = ({ is_enabled }: Pick<RouteView, 'is_enabled'>): StateLabel =>
  is_enabled
    ? { state: 'up', label: t('routes.configured.enabled') }
    : { state: 'disabled', label: t('routes.configured.disabled') }

/** The kernel's state, regardless of the configuration. */
export const installedLabel = ({ installed: is, state }: RouteHealthView): StateLabel => {
  if (is === null) return { state: 'unknown', label: t('routes.host.unreadable') }
  if (is) return { state: state === 'disabled' ? 'degraded' : 'up', label: t('routes.host.installed') }
  return { state: state === 'disabled' ? 'disabled' : 'down', label: t('routes.host.missing') }
}

/** The state of the tunnel that the rule's packets go over. */
export const tunnelLabel = ({ is_known, is_up }: TunnelOnPath): StateLabel => {
  if (!is_known) return { state: 'unknown', label: t('routes.host.unreadable') }
  return is_up
    ? { state: 'up', label: t('routes.host.tunnel_up') }
    : { state: 'down', label: t('routes.host.tunnel_down') }
}
