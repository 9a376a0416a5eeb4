// What a cause does to a rule, in words and marks that the path of its packets has, too.
import type { RouteHealthView } from '@panel/shared/api/routes/answers.ts'
import type { Effect } from '@panel/shared/api/routes/cause-codes.ts'
import { stateOf, type StateLabel } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'

export type HealthWord = RouteHealthView['severity'] | 'disabled'

export const wordLabel = (word: HealthWord): string => t(`path.health.${word}`)

const WORDS: Readonly<Record<Effect, HealthWord>> = {
  stops: 'down',
  degrades: 'degraded',
  may_stop: 'unknown',
  note: 'ok',
}

export function effectLabel({ effect }: { readonly effect: Effect }): StateLabel {
  const word = WORDS[effect]
  return { state: stateOf(word), label: wordLabel(word) }
}

export const isProven = ({ state }: Pick<RouteHealthView['proof'], 'state'>): boolean =>
  state === 'carrying' || state === 'proven'
