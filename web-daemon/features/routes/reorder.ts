// Sets the order in which rules stand: of two that match a connection the first one gets it (reference.md, POST
// /routes/reorder; decisions.md, F10, F14).
import type { ReorderAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ReorderBody } from '@panel/shared/api/routes/bodies.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { converge } from '../../change/engine.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { foreseeRules } from './foreseen.ts'
import { changeOf, wantedOf, type WantedRule } from './change.ts'
import { newPlaces, type Placed } from './places.ts'
import type { RouteRecord } from './record.ts'
import { allRoutes } from './store.ts'
import { setPlaces } from './store-write.ts'
import type { Accounting } from './accounting.ts'
import { routeView } from './view.ts'

export const reorderRoutes =
  (traffic: Accounting) =>
  (context: CommandContext, { body, problems }: Incoming<ReorderBody>): Promise<Answer<ReorderAnswer>> =>
    context.inTurn(async () => {
      const stored = await allRoutes(context.db)
      await place(context, traffic, planOrder(stored, body.route_rule_ids, problems))
      const answer: ReorderAnswer = {
        action: 'reorder',
        routes: (await allRoutes(context.db)).map(routeView),
        ...messageFields('note', message('note.order')),
      }
      return ok(answer)
    })

export async function foreseeOrder(context: ReadContext, { body, problems }: Incoming<ReorderBody>): Promise<Foreseen> {
  const { inForce } = planOrder(await allRoutes(context.db), body.route_rule_ids, problems)
  return foreseeRules(context, { rules: inForce, records: [] })
}

interface Order {
  readonly rows: readonly RouteRecord[]
  readonly moved: readonly RouteRecord[]
  readonly inForce: readonly WantedRule[]
}

/** Only rules that get another place are changed. */
function planOrder(stored: readonly RouteRecord[], ids: readonly number[], problems: Incoming['problems']): Order {
  checkIds(ids, stored, problems)
  const places = newPlaces(orderedBy(ids, stored))
  const orders = new Map(places.map(({ route_rule_id, sort_order }) => [route_rule_id, sort_order]))
  const rows = stored.filter(({ route_rule_id }) => orders.has(route_rule_id))
  const moved = (one: RouteRecord): RouteRecord => ({
    ...one,
    sort_order: orders.get(one.route_rule_id) ?? one.sort_order,
  })
  const inForce = rows.filter(({ is_enabled }) => is_enabled).map((row) => wantedOf(moved(row), row))
  return { rows, moved: rows.map(moved), inForce }
}

async function place(context: CommandContext, traffic: Accounting, { rows, moved, inForce }: Order): Promise<void> {
  const { resource, change } = await changeOf(context, traffic, inForce)
  await converge(context, resource, { rows, changes: [change], commit: (db) => setPlaces(db, moved) })
}

function checkIds(ids: readonly number[], stored: readonly Placed[], problems: Incoming['problems']): void {
  const known = new Set(stored.map(({ route_rule_id }) => route_rule_id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0)
    problems.add(
      'route_rule_ids',
      'UNKNOWN_ROUTE',
      message('route.not_found', { route_rule_id: unknown.slice(0, 10).join(', ') }),
      { unknown },
    )
  else if (new Set(ids).size < ids.length)
    problems.add('route_rule_ids', 'INVALID_VALUE', message('route.named_once', { field: 'route_rule_ids' }))
  problems.throwIfAny()
}

/** The named ones first, then the rest as they stood. */
function orderedBy(ids: readonly number[], stored: readonly RouteRecord[]): RouteRecord[] {
  const named = new Map(ids.map((id, at) => [id, at]))
  const place = ({ route_rule_id }: RouteRecord): number => named.get(route_rule_id) ?? ids.length
  return [...stored].sort((a, b) => place(a) - place(b))
}
