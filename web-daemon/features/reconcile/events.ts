// The events that reconciliation publishes.
import type { HealEvent } from '@panel/shared/api/base/heal.ts'
import type { LastPass } from '@panel/shared/api/reconcile.ts'

export interface ReconcileEvents {
  /** A background pass found something else than the pass before it. */
  'reconcile.changed': LastPass
  /** What the first pass of this daemon found, also what is as it should be. */
  'reconcile.first': Pick<LastPass, 'changed'>
  /** Something was taken away again that the panel had put back several times. */
  'heal.contested': HealEvent
  /** The pauses before something is put back are forgotten. */
  'heal.reset': Readonly<Record<never, never>>
}

declare module '../../platform/events/bus.ts' {
  interface PanelEvents extends ReconcileEvents {}
}
