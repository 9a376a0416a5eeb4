// The whole comparison, made when it is asked for (interface.md, GET /reconcile).
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { routeFindings } from '../routes/health/findings.ts'
import type { Watch } from './pass.ts'
import { compareAll, countsOf } from './report.ts'

export const listAll =
  (watch: Watch) =>
  async (context: ReadContext, { query }: Incoming): Promise<Answer<ReconcileAnswer>> => {
    const [report, routes] = await Promise.all([compareAll(context), routeFindings(context)])
    const withIgnored = ['true', '1'].includes(query['include_ignored']?.toLowerCase() ?? '')
    const items = report.items
      .filter(({ is_ignored }) => withIgnored || !is_ignored)
      .map((item) => ({ ...item, noticed: watch.noticed(item) }))
    const { ignored_interfaces, leftover_units } = report
    const answer: ReconcileAnswer = {
      items,
      ...routes,
      counts: countsOf(items),
      ignored_interfaces,
      leftover_units,
      last_pass: watch.last(),
      checked_at: context.now().toISOString(),
    }
    return ok(answer)
  }
