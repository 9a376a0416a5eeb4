// The whole comparison, made at the request (reference.md, GET /reconcile).
import type { Noticed, ReconcileAnswer, ReconcileItem } from '@panel/shared/api/reconcile.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import type { HealView } from '@panel/shared/api/base/heal.ts'
import type { Heals } from '../../change/heal.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Incoming, type Sendable } from '../../platform/http/endpoint.ts'
import { isTrue } from '../../platform/http/query.ts'
import { JsonText, jsonList, jsonObject } from '../../platform/http/json-text.ts'
import { networkFindings } from '../networks/findings.ts'
import { routeFindings } from '../rule-health/findings.ts'
import { noticedIn, passView, type TunnelWatch } from './watch.ts'
import { compareAll, countsOf, type Item, type Report } from './report.ts'

export const listAll =
  (watch: TunnelWatch, heals: Heals) =>
  async (context: ReadContext, { query }: Incoming): Promise<Sendable<ReconcileAnswer>> => {
    const [report, routes, networks] = await Promise.all([
      compareAll(context),
      routeFindings(context, heals),
      networkFindings(context),
    ])
    const withIgnored = isTrue(query['include_ignored'])
    const items = report.items.filter(({ is_ignored }) => withIgnored || !is_ignored)
    const { ignored_interfaces, leftover_units } = report
    const last = watch.last()
    return ok(
      jsonObject<ReconcileAnswer>({
        items: jsonList(items.map((item) => itemText(item, noticedIn(watch, item), healOf(item, report, heals)))),
        ...routes,
        ...networks,
        counts: countsOf(items),
        ignored_interfaces,
        leftover_units,
        last_pass: last && passView(last),
        checked_at: context.now().toISOString(),
      }),
    )
  }

const healOf = ({ tunnel_id, interface_name }: Item, report: Report, heals: Heals): HealView | null =>
  tunnel_id === null ? null : heals.view('tunnel', tunnel_id, report.heals.get(interface_name) ?? null)

/** An item that is as it was is the very object of last time (report.ts). */
const texts = madeOnce<JsonText<ReconcileItem>>()

const itemText = (item: Item, noticed: Noticed | null, heal: HealView | null): JsonText<ReconcileItem> =>
  texts(
    item.interface_name,
    [item, noticed?.at, noticed?.because, ...valuesOf(heal)],
    () => new JsonText([textOf(item, noticed, heal)]),
  )

/** `detail_message` says what `detail` says. */
const valuesOf = (heal: HealView | null): unknown[] =>
  Object.values({ ...heal, detail_message: heal?.detail_message.message_id })

const textOf = (item: Item, noticed: Noticed | null, heal: HealView | null): string =>
  JSON.stringify({ ...item, noticed, heal } satisfies ReconcileItem)
