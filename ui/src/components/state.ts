// The states that the page knows of anything, and which of two is worse.

export type State = 'up' | 'degraded' | 'down' | 'unknown' | 'disabled'

export interface StateLabel {
  readonly state: State
  readonly label: string
}

const FROM_WORST: readonly State[] = ['down', 'degraded', 'up', 'unknown', 'disabled']

/** Not knowing is no fault: it counts for less than what is known. */
export const worse = (one: State, other: State): State =>
  FROM_WORST.find((state) => state === one || state === other) ?? one
