// How a rule is, in words that the path of its packets has too. Green is what is known to relay.
import type { RouteHealthState, RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { Effect } from '@panel/shared/api/routes/cause-codes.ts'
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import type { State, StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

type Health = Pick<RouteHealthView, 'state' | 'severity' | 'proof'>

/** What a list is filtered and sorted by, worst first. */
export const HEALTH_WORDS = ['down', 'degraded', 'unknown', 'ok', 'disabled'] as const
type HealthWord = (typeof HEALTH_WORDS)[number]

export const healthWord = ({ state, severity }: Pick<Health, 'state' | 'severity'>): HealthWord =>
  state === 'disabled' ? 'disabled' : severity

const STATES_SAID: readonly RouteHealthState[] = ['failed', 'inconsistent', 'pending', 'disabled']

export function healthLabel(health: Health): StateLabel {
  const { state, proof } = health
  const word = healthWord(health)
  if (word === 'ok') return proofLabel(proof)
  const mark = word === 'disabled' ? 'disabled' : word
  if (STATES_SAID.includes(state)) return { state: mark, label: t(`path.health.${state}`) }
  return { state: mark, label: wordLabel(word) }
}

export const wordLabel = (word: HealthWord): string =>
  t(
    (
      {
        down: 'path.health.down',
        degraded: 'path.health.impaired',
        unknown: 'path.health.doubtful',
        ok: 'path.health.healthy',
        disabled: 'path.health.disabled',
      } as const
    )[word],
  )

/** What was never seen to relay is in force, and no more is known. */
export const proofLabel = ({ state }: Health['proof']): StateLabel => ({
  state: isProven({ state }) ? 'up' : 'unknown',
  label: t(`path.proof.${state}`),
})

export const isProven = ({ state }: Pick<Health['proof'], 'state'>): boolean =>
  state === 'carrying' || state === 'proven'

const MARKS: Readonly<Record<Exclude<Effect, 'note'>, State>> = {
  stops: 'down',
  degrades: 'degraded',
  may_stop: 'unknown',
}

/** Null of what takes nothing away. */
export const causeLabel = ({ code, effect }: Pick<Cause, 'code' | 'effect'>): StateLabel | null =>
  effect === 'note' ? null : { state: MARKS[effect], label: t(`path.cause.${code}`) }
