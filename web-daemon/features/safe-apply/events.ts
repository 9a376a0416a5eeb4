// The events that safe apply publishes.
export interface SafeApplyEvents {
  /** A window was opened, has more to take back, or has ended. */
  'safe_apply.changed': { readonly is_open: boolean }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends SafeApplyEvents {}
}
