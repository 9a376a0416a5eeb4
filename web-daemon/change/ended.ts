// What a record says of the last change of what it stands for, and what that is of one that was applied or is stuck.
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'

export interface ApplyMark {
  readonly apply_status_id: number
  readonly last_apply_error: string
  readonly last_applied_date?: string | null
}

export const endedAs = ({ outcome, failure }: Outcome, now: string): ApplyMark =>
  outcome === 'applied'
    ? { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: now }
    : { apply_status_id: APPLY_STATUSES.Inconsistent, last_apply_error: failure?.message ?? '' }
