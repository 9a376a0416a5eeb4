// Labels for tunnel states, configured and observed.
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { MonitorStatus } from '@panel/shared/api/monitor.ts'
import type { ObservedView, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { State, StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

export const STATE_OF: Readonly<Record<MonitorState, State>> = {
  Unknown: 'unknown',
  Up: 'up',
  Degraded: 'degraded',
  Down: 'down',
  Disabled: 'disabled',
}
export const TYPES: Readonly<Record<number, string>> = { 10: 'GRE', 20: 'GRETAP', 30: 'IP6GRE', 40: 'IP6GRETAP' }
export const typeName = ({ tunnel_type_id }: Pick<TunnelView, 'tunnel_type_id'>): string =>
  TYPES[tunnel_type_id] ?? `${tunnel_type_id}`

/** A disabled tunnel is not watched either; where nothing is known of the tunnel, only that is shown. */
export const monitorLabel = (state: MonitorState, isTunnelEnabled = true): StateLabel => ({
  state: STATE_OF[state],
  label: state === 'Disabled' && !isTunnelEnabled ? t('tunnels.configured.disabled') : t(`tunnels.monitor.${state}`),
})

export const snapshotLabel = ({ state, tunnel_enabled }: Pick<MonitorStatus, 'state' | 'tunnel_enabled'>): StateLabel =>
  monitorLabel(state, tunnel_enabled)

/** The kernel's state; the configuration only decides whether "down" is expected. */
export const hostLabel = ({ is_enabled, observed }: Pick<TunnelView, 'is_enabled' | 'observed'>): StateLabel => {
  const { is_known, exists, is_up, oper_state } = observed
  if (!is_known) return { state: 'unknown', label: t('tunnels.host.not_known') }
  if (!exists) return { state: 'down', label: t('tunnels.host.missing') }
  if (!is_up) return { state: is_enabled ? 'down' : 'disabled', label: t('tunnels.host.down') }
  return {
    state: 'up',
    label:
      oper_state === 'UNKNOWN'
        ? t('tunnels.host.up_gre')
        : oper_state === 'UP'
          ? t('tunnels.host.up')
          : t('tunnels.host.up_as', { state: oper_state }),
  }
}

export const configuredLabel = ({
  is_enabled,
  apply_status,
}: Pick<TunnelView, 'is_enabled' | 'apply_status'>): StateLabel => {
  if (apply_status === 'Failed' || apply_status === 'Inconsistent')
    return { state: 'down', label: t(`tunnels.apply.${apply_status}`) }
  return is_enabled
    ? { state: 'up', label: t('tunnels.configured.enabled') }
    : { state: 'disabled', label: t('tunnels.configured.disabled') }
}

export const formatAddresses = ({ addresses }: Pick<TunnelView, 'addresses'>): string[] =>
  addresses.map(({ address, prefix_length }) => `${address}/${prefix_length}`)

/** In whatever order. */
export const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  [...some].sort().join() === [...others].sort().join()

/** Link-local addresses are automatic on every link. */
export const observedAddresses = ({ addresses }: Pick<ObservedView, 'addresses'>): string[] =>
  addresses.filter((address) => !address.toLowerCase().startsWith('fe80:'))
