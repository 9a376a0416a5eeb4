// How a plan asks why its rule will not relay; the feature "rule-health" answers (decisions.md, S25).
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { ForwardingChange } from '../forwarding/plan-view.ts'
import type { Accounting } from './accounting.ts'
import type { RouteRecord } from './record.ts'

/** What a preview knows of the change: it is still to come, and turns forwarding on by these. */
export interface ToCome {
  readonly switches: readonly ForwardingChange[]
}

/** Never fails for what cannot be read: that is a cause, too. */
export type ForeseeCauses = (context: ReadContext, record: RouteRecord, toCome?: ToCome) => Promise<Cause[]>

/** For changes that are answered without their plan. */
export const WITHOUT_PLAN: ForeseeCauses = async () => []

/** What a change of one rule needs of other features. */
export interface ChangeDeps {
  readonly traffic: Accounting
  readonly foreseeCauses: ForeseeCauses
}
