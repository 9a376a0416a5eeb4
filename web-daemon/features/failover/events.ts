// The events that the checks of destinations publish.
import type { Message } from '@panel/shared/messages/message.ts'

export interface StoredFailoverEvents {
  /** The checks have decided otherwise than before. */
  'destination.state': {
    readonly route_destination_id: number
    readonly title: string
    /** The destination in people's notation: address or host name, and port. */
    readonly destination: string
    readonly from: string
    readonly to: string
    readonly reason: Message
  }
}

export interface FailoverEvents {
  /** A name among the destinations of these rules has stopped resolving, or resolves again. */
  'name.changed': { readonly route_rule_ids: readonly number[] }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends FailoverEvents {}
  interface StoredEvents extends StoredFailoverEvents {}
}
