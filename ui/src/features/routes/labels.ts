// Labels of relay rules.
import type { RouteHealthView, RouteView } from '@panel/shared/api/routes/answers.ts'
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
