// What a new record says of the change that it was made with: that was applied, or it is stuck.
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'

export const endedAs = ({ outcome, failure }: Outcome, now: string) =>
  outcome === 'applied' ? { apply_status_id: APPLY_STATUSES.Applied, last_applied_date: now } : { apply_status_id: APPLY_STATUSES.Inconsistent, last_apply_error: failure?.message ?? '' }
