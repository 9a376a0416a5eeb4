// How a relay rule is, in words that the path of its packets has too.
import type { RouteHealthState } from '@panel/shared/api/routes/answers.ts'
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
  label: t(`path.health.${state}`),
})
