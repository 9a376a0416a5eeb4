// The events that tunnels publish.
interface TunnelEvent {
  readonly tunnel_id: number
  readonly interface_name: string
}

export interface TunnelEvents {
  'tunnel.created': TunnelEvent
  'tunnel.updated': TunnelEvent
  'tunnel.deleted': TunnelEvent
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends TunnelEvents {}
}
