// The events that safe apply publishes.
export interface SafeApplyEvents {
  /** A window was opened, has more to take back, or has ended. */
  'safe_apply.changed': { readonly is_open: boolean }
}

export interface StoredSafeApplyEvents {
  /** A window has ended, and the store follows. */
  'safe_apply.ended': { readonly window_id: string; readonly ended_how: string }
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends SafeApplyEvents {}
  interface StoredEvents extends StoredSafeApplyEvents {}
}
