// Sets the order in which rules stand: of two that match a connection the first one gets it (interface.md, POST /routes/reorder; decisions.md, F10, F14).
import { APPLY_STATUSES } from '@panel/shared/api/lookups.ts'
import type { ReorderAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ReorderBody } from '@panel/shared/api/routes/bodies.ts'
import type { CommandContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeRules } from './change-rules.ts'
import { newPlaces, type Placed } from './places.ts'
import { refuseUnlessApplied, whilePending } from './reach.ts'
import { ruleOf, type RouteRecord } from './record.ts'
import { allRoutes, markApplied, setPlaces } from './store.ts'
import type { Traffic } from './traffic/traffic.ts'
import { routeView } from './view.ts'

export const reorderRoutes =
  (traffic: Traffic) =>
  (context: CommandContext, { body, problems }: Incoming<ReorderBody>): Promise<Answer<ReorderAnswer>> =>
    context.inTurn(async () => {
      const { db, now } = context
      const stored = await allRoutes(db)
      checkIds(body.route_rule_ids, stored, problems)
      const places = new Map(
        newPlaces(orderedBy(body.route_rule_ids, stored)).map(({ route_rule_id, sort_order }) => [
          route_rule_id,
          sort_order,
        ]),
      )
      const moved = stored.filter(({ route_rule_id }) => places.has(route_rule_id))
      const wanted = moved.map((one) => ({ ...one, sort_order: places.get(one.route_rule_id) ?? one.sort_order }))
      const rules = wanted
        .filter(({ is_enabled }) => is_enabled)
        .map((one) => ({ route_rule_id: one.route_rule_id, rule: ruleOf(one) }))
      const changed = await whilePending(context, moved, () => changeRules(context, traffic, rules))
      await refuseUnlessApplied(context, moved, changed.outcome)
      const updated_date = now().toISOString()
      const mark = { apply_status_id: APPLY_STATUSES.Applied, last_apply_error: '', last_applied_date: updated_date }
      await db.transaction().execute(async (transaction) => {
        await setPlaces(transaction, wanted)
        await markApplied(
          transaction,
          wanted.map(({ route_rule_id }) => route_rule_id),
          mark,
          updated_date,
        )
      })
      const replaced = new Map(wanted.map((one) => [one.route_rule_id, { ...one, ...mark, updated_date }]))
      const routes = stored
        .map((one) => replaced.get(one.route_rule_id) ?? one)
        .sort((a, b) => a.sort_order - b.sort_order || a.route_rule_id - b.route_rule_id)
      const answer: ReorderAnswer = {
        action: 'reorder',
        routes: routes.map(routeView),
        note: 'Of two rules that match a connection the one that stands first gets it. Connections that are there stay with the rule that has them.',
      }
      return ok(answer)
    })

function checkIds(ids: readonly number[], stored: readonly Placed[], problems: Incoming['problems']): void {
  const known = new Set(stored.map(({ route_rule_id }) => route_rule_id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0)
    problems.add('route_rule_ids', 'UNKNOWN_ROUTE', `There is no rule ${unknown.slice(0, 10).join(', ')}.`, { unknown })
  else if (new Set(ids).size < ids.length)
    problems.add('route_rule_ids', 'INVALID_VALUE', 'route_rule_ids must name each rule once.')
  problems.throwIfAny()
}

/** The named ones first, then the rest as they stood. */
function orderedBy(ids: readonly number[], stored: readonly RouteRecord[]): RouteRecord[] {
  const named = new Map(ids.map((id, at) => [id, at]))
  const place = ({ route_rule_id }: RouteRecord): number => named.get(route_rule_id) ?? ids.length
  return [...stored].sort((a, b) => place(a) - place(b))
}
