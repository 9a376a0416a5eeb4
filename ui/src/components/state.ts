// The states that the page knows of anything, and which of two is worse.
import type { NetworkPathView } from '@panel/shared/api/networks/answers.ts'
import type { Severity } from '@panel/shared/api/base/severity.ts'

export type State = 'up' | 'degraded' | 'down' | 'unknown' | 'disabled'

export interface StateLabel {
  readonly state: State
  readonly label: string
}

/** What the API calls it; an analysis that was stored without it does not say. */
export const stateOf = (severity: Severity | 'disabled' = 'unknown'): State => (severity === 'ok' ? 'up' : severity)

/** One that the monitor has found down carries only where no other is better. */
export function stateOfPath({ state, since, failed_date }: NetworkPathView): State {
  if (since !== null && since === failed_date) return 'down'
  return state === 'carries' ? 'up' : 'disabled'
}

const FROM_WORST: readonly State[] = ['down', 'degraded', 'up', 'unknown', 'disabled']

/** Not knowing is no fault: it counts for less than what is known. */
export const worse = (one: State, other: State): State =>
  FROM_WORST.find((state) => state === one || state === other) ?? one

/** On a grid of 16. */
export const SHAPES: Readonly<Record<State, string>> = {
  up: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z',
  degraded: 'M8 1l7.5 14H.5Z',
  down: 'M3.5 1 8 5.5 12.5 1 15 3.5 10.5 8 15 12.5 12.5 15 8 10.5 3.5 15 1 12.5 5.5 8 1 3.5Z',
  unknown: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
  disabled: 'M1 6h14v4H1Z',
}
