// Labels for the components of health.
import type { HealthComponent } from '@panel/shared/api/system.ts'
import { messages, t } from '../core/i18n.svelte.ts'
import type { State, StateLabel } from './state.ts'

export const HEALTH_STATES = {
  ok: 'up',
  starting: 'unknown',
  degraded: 'degraded',
  error: 'down',
  unknown: 'unknown',
} as const satisfies Record<HealthComponent['status'], State>

export const componentLabel = ({ name }: HealthComponent): string =>
  messages.find(`core.health.part.${name}`, name.replaceAll('_', ' '))

export const healthLabel = ({ status }: Pick<HealthComponent, 'status'>): StateLabel => ({
  state: HEALTH_STATES[status],
  label: t(`core.health.${status}`),
})
