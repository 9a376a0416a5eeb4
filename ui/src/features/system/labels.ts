// Labels for host capabilities and component health.
import type { CapabilitiesAnswer, HealthComponent } from '@panel/shared/api/system.ts'
import type { State, StateLabel } from '../../components/StateBadge.svelte'
import { messages, t } from '../../core/i18n.svelte.ts'

export const supportLabel = (isAble: boolean): StateLabel =>
  isAble ? { state: 'up', label: t('system.yes') } : { state: 'disabled', label: t('system.no') }

export const featureLabel = (name: string): string => messages.find(`system.feature.${name}`, name.replaceAll('_', ' '))
export const componentLabel = ({ name }: HealthComponent): string =>
  messages.find(`core.health.part.${name}`, name.replaceAll('_', ' '))
export const backendLabel = ({ active }: CapabilitiesAnswer['rule_backend']): string =>
  messages.find(`system.backend.${active}`, active)

const STATES = {
  ok: 'up',
  starting: 'unknown',
  degraded: 'degraded',
  error: 'down',
  unknown: 'unknown',
} as const satisfies Record<HealthComponent['status'], State>
export const healthLabel = ({ status }: Pick<HealthComponent, 'status'>): StateLabel => ({
  state: STATES[status],
  label: t(`core.health.${status}`),
})
