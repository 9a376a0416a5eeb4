// Labels and formats of relay rules.
import type { RouteHealthState, RouteHealthView, RouteView } from '@panel/shared/api/routes/answers.ts'
import type { State, StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

const STATE_OF: Readonly<Record<RouteHealthState, State>> = {
  healthy: 'up',
  disabled: 'disabled',
  pending: 'unknown',
  impaired: 'degraded',
  failed: 'down',
  inconsistent: 'down',
}
export const HEALTH_STATES: readonly RouteHealthState[] = [
  'inconsistent',
  'failed',
  'impaired',
  'pending',
  'healthy',
  'disabled',
]
export const healthLabel = (state: RouteHealthState): StateLabel => ({
  state: STATE_OF[state],
  label: t(`routes.health.${state}`),
})

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

const PROTOCOLS: Readonly<Record<number, string>> = { 10: 'TCP', 20: 'UDP', 30: 'TCP+UDP' }
export const protocolName = ({ route_protocol_id }: Pick<RouteView, 'route_protocol_id'>): string =>
  PROTOCOLS[route_protocol_id] ?? `${route_protocol_id}`
/** Search values; a rule for both protocols matches either. */
export const protocolTerms = ({ route_protocol_id }: Pick<RouteView, 'route_protocol_id'>): string[] =>
  route_protocol_id === 30 ? ['tcp', 'udp', 'both'] : [route_protocol_id === 20 ? 'udp' : 'tcp']

export const formatEndpoint = (address: string, first: number, last: number | null): string =>
  `${address.includes(':') ? `[${address}]` : address}:${first}${last === null ? '' : `-${last}`}`
export const formatBind = ({
  bind_address,
  bind_port,
  bind_port_range_end,
}: Pick<RouteView, 'bind_address' | 'bind_port' | 'bind_port_range_end'>): string =>
  formatEndpoint(bind_address, bind_port, bind_port_range_end)
export const formatDestinations = ({ destinations }: Pick<RouteView, 'destinations'>): string[] =>
  destinations.map(({ address, port, port_range_end }) => formatEndpoint(address, port, port_range_end))
