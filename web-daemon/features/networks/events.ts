// The events that networks publish.
export interface NetworkEvents {
  /** Records of networks have changed, and the host with them unless that failed. */
  'networks.changed': { readonly network_ids: readonly number[] }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends NetworkEvents {}
}
