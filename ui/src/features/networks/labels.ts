// How networks behind tunnels and their paths are called on the page.
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { NetworkPathView, NetworkView } from '@panel/shared/api/networks/answers.ts'
import type { StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

/** Without its route nothing reaches the network; without the rest some of it does not. */
const STOPS: readonly string[] = ['network', 'route']

export const networkLabel = ({ is_enabled, is_known, lacks, apply_status_id }: NetworkView): StateLabel => {
  if (!is_enabled) return { state: 'disabled', label: t('networks.state.disabled') }
  if (!is_known) return { state: 'unknown', label: t('core.state.unknown') }
  if (lacks.some(({ kind }) => STOPS.includes(kind))) return { state: 'down', label: t('networks.state.missing') }
  if (lacks.length > 0 || apply_status_id !== APPLY_STATUSES.Applied)
    return { state: 'degraded', label: t('networks.state.in_part') }
  return { state: 'up', label: t('networks.state.in_place') }
}

const PATH_STATES = { carries: 'up', standby: 'disabled', out: 'down' } as const

export const pathLabel = ({ state }: Pick<NetworkPathView, 'state'>): StateLabel => ({
  state: PATH_STATES[state],
  label: t(`networks.path.${state}`),
})
