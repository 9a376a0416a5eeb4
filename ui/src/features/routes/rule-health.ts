// How a rule is, for lists and its own page. Green is what is known to relay.
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'
import { isProven, wordLabel, type HealthWord } from './effects.ts'

type Health = Pick<RouteHealthView, 'state' | 'severity' | 'proof'>

/** What a list is filtered and sorted by, worst first. */
export const HEALTH_WORDS: readonly HealthWord[] = ['down', 'degraded', 'unknown', 'ok', 'disabled']

export const healthWord = ({ state, severity }: Pick<Health, 'state' | 'severity'>): HealthWord =>
  state === 'disabled' ? 'disabled' : severity

export function healthLabel(health: Health): StateLabel {
  const { state, proof } = health
  const word = healthWord(health)
  // What was never seen to relay is in force, and no more is known.
  if (word === 'ok') return { state: isProven(proof) ? 'up' : 'unknown', label: t(`routes.proof.${proof.state}`) }
  const isSaid = state === 'failed' || state === 'inconsistent' || state === 'pending'
  return { state: word, label: isSaid ? t(`routes.health.${state}`) : wordLabel(word) }
}
