// The events that monitoring publishes.
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { Message } from '@panel/shared/messages/message.ts'

export interface MonitorBusEvents {
  /** The monitor gives a tunnel another state than before. */
  'tunnel.state': {
    readonly tunnel_id: number
    readonly interface_name: string
    readonly from: MonitorState
    readonly to: MonitorState
    readonly reason: Message
  }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends MonitorBusEvents {}
  /** Once it is in the history of the tunnel, which has no change that a restart of the daemon makes. */
  interface StoredEvents extends MonitorBusEvents {}
}
