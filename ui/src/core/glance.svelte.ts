// How the server is at a glance, for the tab's title and icon.
import type { Glance } from './attention.ts'

class GlanceState {
  /** Null before the first answer. */
  current = $state.raw<Glance | null>(null)
}

export const glance = new GlanceState()
