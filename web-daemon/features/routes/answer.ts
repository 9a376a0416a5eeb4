// What is answered to a change of a rule: the rule as it is now, the plan that was carried out, and what was read back
// (decisions.md, R17, F13, F16).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Changed } from './change.ts'
import type { ForeseeCauses } from './foresee-causes.ts'
import type { foreseeSwitches } from './foreseen.ts'
import { planView, verificationView } from './plan-view.ts'
import type { RouteRecord } from './record.ts'
import { countInForce } from './store.ts'
import { routeView } from './view.ts'

interface Switches {
  /** The switches as they were foreseen before the change. */
  readonly switches: Awaited<ReturnType<typeof foreseeSwitches>>
}

export async function changeAnswer(
  context: ReadContext,
  foreseeCauses: ForeseeCauses,
  record: RouteRecord,
  { change, outcome, backend, switches }: Changed & Switches,
  warnings: readonly Warning[],
): Promise<ChangeRouteAnswer> {
  const { route_rule_id } = record
  const { ipv4, ipv6 } = await countInForce(context.db)
  const causes = await foreseeCauses(context, record)
  return {
    route: routeView(record),
    plan: planView(change, { route_rule_id, warnings, causes, switches: switches.map((one) => one.change) }),
    verification: verificationView(outcome.checks, { backend, rule_count: ipv4 + ipv6 }),
    warnings: [...warnings],
  }
}
