// The events that the traffic of rules publishes.
export interface TrafficEvents {
  /** Packets have shown that these rules carry both ways, or one way alone, or no longer one way alone. */
  'traffic.evidence': { readonly route_rule_ids: readonly number[] }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends TrafficEvents {}
}
