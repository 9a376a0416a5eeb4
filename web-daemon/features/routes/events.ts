// The events that relay rules publish.
import type { Message } from '@panel/shared/messages/message.ts'
import type { RouteHealthEvent } from '@panel/shared/api/routes/answers.ts'

export interface RouteEvents {
  /**
   * The panel has changed rules on the host, or failed to. Their records may be written after that, in the same turn.
   */
  'routes.changed': { readonly route_rule_ids: readonly number[] }
  'route.health': RouteHealthEvent & WithCause
  /** What the first look of this daemon found, also what is as it should be. */
  'route.first': { readonly rules: readonly (RouteHealthEvent & WithCause)[] }
}

interface WithCause {
  /** Null without one. Rules with the same key share it, such as the chain that drops their packets. */
  readonly cause: { readonly key: string; readonly sentence: Message; readonly remedies: readonly Message[] } | null
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends RouteEvents {}
}
