// The whole comparison, made at the request (reference.md, GET /reconcile).
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { routeFindings } from '../routes/health/findings.ts'
import { noticedIn, passView, type TunnelWatch } from './watch.ts'
import { compareAll, countsOf } from './report.ts'

export const listAll =
  (watch: TunnelWatch, heals: Heals) =>
  async (context: ReadContext, { query }: Incoming): Promise<Answer<ReconcileAnswer>> => {
    const [report, routes] = await Promise.all([compareAll(context), routeFindings(context, heals)])
    const withIgnored = ['true', '1'].includes(query['include_ignored']?.toLowerCase() ?? '')
    const items = report.items
      .filter(({ is_ignored }) => withIgnored || !is_ignored)
      .map((item) => ({
        ...item,
        noticed: noticedIn(watch, item),
        heal:
          item.tunnel_id === null
            ? null
            : heals.view('tunnel', item.tunnel_id, report.heals.get(item.interface_name) ?? null),
      }))
    const { ignored_interfaces, leftover_units } = report
    const last = watch.last()
    const answer: ReconcileAnswer = {
      items,
      ...routes,
      counts: countsOf(items),
      ignored_interfaces,
      leftover_units,
      last_pass: last && passView(last),
      checked_at: context.now().toISOString(),
    }
    return ok(answer)
  }
