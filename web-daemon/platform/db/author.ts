// Who requested what a transaction stores: what is recorded of a change is written in the transaction of the change.
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'

export interface Author {
  readonly user_id: number | null
  readonly username: string
  /** Null unless an API token was used. */
  readonly token_id: number | null
  readonly request_id: string
  /** What the operator gives for a reason, "" without one. */
  readonly reason: string
  /** Known for certain once the command has run: one endpoint can stand for several. */
  readonly action: () => AuditAction
  /** The file that the change comes from, "" without one. Known once the command has run. */
  readonly file: () => string
}
