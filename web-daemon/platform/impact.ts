// How a preview asks what a change would do to what goes on now; the feature "impact" answers.
import type { Impact } from '@panel/shared/api/impact/impact.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { ReadContext } from './context.ts'

export interface Requester {
  /** The address of the connection; "" without one. */
  readonly client_ip: string
  /** The address of this host that it was made to. */
  readonly server_ip: string
  /** Also by where the connections come from. */
  readonly with_sources?: boolean
}

export type ReadImpact = (context: ReadContext, foreseen: Foreseen, requester: Requester) => Promise<Impact>
