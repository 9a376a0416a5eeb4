// The state of one part of the panel, as GET /system/health shows it, and what of it needs the operator.
import type { Incident } from '@panel/shared/api/incidents.ts'
import type { ComponentName, HealthStatus } from '@panel/shared/api/system.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { Reason } from './db/trouble.ts'

export interface Component {
  readonly name: ComponentName
  readonly status: HealthStatus
  /** A sentence for the operator. */
  readonly detail: Message
}

/** Something of the host or of the panel itself that needs the operator, as GET /reconcile/attention names it. */
export interface HostIncident extends Pick<Incident, 'kind' | 'name' | 'state' | 'since'> {
  readonly kind: Exclude<Incident['kind'], 'tunnel' | 'route'>
  readonly sentence: Message
}

/** Why the panel cannot start. */
export interface Fault {
  readonly component: ComponentName
  readonly reason: Reason | 'lost' | 'first_start_unknown' | 'too_new' | 'unreleased' | 'unopened' | 'signing_key'
  /** What is wrong, and then what to do. */
  readonly sentences: readonly Message[]
  /** For the log, if nothing is known of it. */
  readonly failure?: unknown
}
