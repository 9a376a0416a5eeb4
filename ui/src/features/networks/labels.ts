// How networks behind tunnels and their paths are called on the page.
import type { NetworkPathView, NetworkView } from '@panel/shared/api/networks/answers.ts'
import { stateOf, stateOfPath, type StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

export const networkLabel = ({ is_enabled, severity }: Pick<NetworkView, 'is_enabled' | 'severity'>): StateLabel => {
  const word = is_enabled ? severity : 'disabled'
  return { state: stateOf(word), label: word === 'ok' ? t('networks.state.in_place') : t(`core.state.${word}`) }
}

export const pathLabel = (path: NetworkPathView): StateLabel => {
  const state = stateOfPath(path)
  return { state, label: state === 'down' ? t('core.state.down') : t(`networks.path.${path.state}`) }
}
