// Changes what people call a rule or write about it, in the store alone (decisions.md, T25).
import { labelsAlone } from '@panel/shared/api/base/field-list.ts'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { ROUTE_FIELDS } from '@panel/shared/api/routes/fields.ts'
import { save } from '../../change/engine.ts'
import type { ReadDb, StoreContext } from '../../platform/context.ts'
import type { Accounting } from './accounting.ts'
import { checkTitle } from './draft/titles.ts'
import type { UpdateRequest } from './draft/update.ts'
import type { RouteRecord } from './record.ts'
import { routeRecords } from './resource.ts'
import { countInForce, idOfTitle } from './store.ts'
import { routeView } from './view.ts'

type Labels = NonNullable<ReturnType<typeof labelsAlone<typeof ROUTE_FIELDS>>>

/**
 * Null if the request may change anything else, or has a problem, which is reported beside all others. Throws 422 if
 * another rule has the title.
 */
export async function labelsIn(
  db: ReadDb,
  stored: RouteRecord,
  { body, problems }: UpdateRequest,
): Promise<Labels | null> {
  const labels = problems.isEmpty ? labelsAlone(ROUTE_FIELDS, stored, body) : null
  const title = labels?.route_rule_title
  if (title !== undefined) checkTitle({ body, problems, stored, titleOwner: await idOfTitle(db, title) })
  problems.throwIfAny()
  return labels
}

/** Call it inside `inTurn`. */
export async function relabel(
  context: StoreContext,
  traffic: Accounting,
  stored: RouteRecord,
  labels: Labels,
): Promise<ChangeRouteAnswer> {
  const wanted = { ...stored, ...labels, updated_date: context.now().toISOString() }
  const { route_rule_id } = stored
  const record = await save(context, routeRecords(context, traffic), { id: route_rule_id, wanted })
  context.note.rename(stored.route_rule_title, record.route_rule_title)
  const nothing = { affected_route_rule_ids: [], steps: [], rollback: [], files: [], verification: [] }
  const silent = { warnings: [], causes: [] }
  const isKept = { requires_recreate: false as const, recreate_reasons: [], recreate_messages: [] }
  const { ipv4, ipv6 } = await countInForce(context.db)
  return {
    route: routeView(record),
    plan: { operation: 'none', route_rule_id, ...nothing, ...isKept, ...silent },
    verification: { ok: true, checks: [], failures: [], backend: '', rule_count: ipv4 + ipv6 },
    warnings: [],
  }
}
