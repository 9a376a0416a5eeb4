// What the API answers about the relay rules that use a tunnel (reference.md, GET /tunnels/{id}/routes; decisions.md,
// R29).
import { MessageView } from '../base/errors.ts'
import type { Static } from '../../schema.ts'
import { Count, Flag, Id, list, Sentence, shape, Text } from '../base/shapes.ts'

/** What a tunnel shows of a rule that relays over it. */
export const DependentRoute = shape('DependentRoute', {
  route_rule_id: Id,
  title: Text,
  protocol: Text,
  bind: Text,
  destination: Text,
  is_enabled: Flag,
})
export type DependentRoute = Static<typeof DependentRoute>

export const TunnelRoutesAnswer = shape('TunnelRoutes', {
  routes: list(DependentRoute),
  total: Count,
  note: Sentence,
  note_message: MessageView,
})
export type TunnelRoutesAnswer = Static<typeof TunnelRoutesAnswer>
