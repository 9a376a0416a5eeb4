// How the server is at a glance, for the tab's title and icon.
import { CALM, type Glance } from './attention.ts'

class GlanceState {
  current = $state.raw<Glance>(CALM)
}

export const glance = new GlanceState()
