// A row of ticks, one for each part of a time, as one path for each state: cheap to draw in every row of a list.
import { MONITOR_STATES, type MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { State } from '../state.ts'

/** The heights, out of 20: a state shows in its height as well as by its colour. */
export const HEIGHTS: Readonly<Record<MonitorState, number>> = {
  Up: 6,
  Degraded: 12,
  Down: 20,
  Unknown: 3,
  Disabled: 1,
}
const STATES = Object.entries(MONITOR_STATES).map(([name, id]) => ({
  id,
  height: HEIGHTS[name as MonitorState],
  state: name.toLowerCase() as State,
}))
/** The share of a tick that is drawn; the rest is the gap to the next. */
const WIDTH = 0.75

export interface HeartbeatPath {
  readonly state: State
  readonly path: string
}

/** The paths by the ids of monitor states, in a box as wide as there are ticks and 20 high; null draws nothing. */
export const heartbeat = (ticks: readonly (number | null)[]): HeartbeatPath[] =>
  STATES.map(({ id, height, state }) => ({
    state,
    path: ticks.map((tick, at) => (tick === id ? `M${at} ${20 - height}h${WIDTH}v${height}h-${WIDTH}z` : '')).join(''),
  })).filter(({ path }) => path !== '')
