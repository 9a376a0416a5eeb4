// The events that reconciliation publishes.
import type { LastPass } from '@panel/shared/api/reconcile.ts'

export interface ReconcileEvents {
  /** A background pass found something else than the pass before it. */
  'reconcile.changed': LastPass
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends ReconcileEvents {}
}
