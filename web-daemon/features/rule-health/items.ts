// Rules as a list shows them: what is stored, how they are, and what goes through them, each beside the other
// (decisions.md, T4, F18).
import type { RouteItem } from '@panel/shared/api/routes/answers.ts'
import type { ReadContext } from '../../platform/context.ts'
import { readHealth } from './health.ts'
import type { Proofs } from './proofs.ts'
import type { RouteRecord } from '../routes/record.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { trafficView } from '../traffic/view.ts'
import { routeView } from '../routes/view.ts'

export interface RuleDeps {
  readonly traffic: Traffic
  readonly proofs: Proofs
}

export async function itemsOf(
  context: ReadContext,
  { traffic, proofs }: RuleDeps,
  records: readonly RouteRecord[],
): Promise<RouteItem[]> {
  const [healths] = await Promise.all([readHealth(context, proofs, records), traffic.upToDate()])
  return Promise.all(
    records.map(async (record, at) => {
      const health = healths[at]
      if (!health) throw new Error(`Rule ${record.route_rule_id} has no health`)
      return { route: routeView(record), health, ...(await trafficView(traffic, record)) }
    }),
  )
}
