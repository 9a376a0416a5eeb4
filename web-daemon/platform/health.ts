// The state of one part of the panel, as GET /system/health shows it.
import type { Message } from '@panel/shared/messages/message.ts'
import type { ComponentName, HealthStatus } from '@panel/shared/api/system.ts'

export interface Component {
  readonly name: ComponentName
  readonly status: HealthStatus
  /** A sentence for the operator. */
  readonly detail: Message
}
