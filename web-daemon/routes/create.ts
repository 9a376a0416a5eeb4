// Makes a rule: drafted, carried out, read back, and only then stored (interface.md, POST /routes; decisions.md, S1).
import type { CreateRouteBody } from '@panel/shared/api/routes.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { endedAs } from '../change/ended.ts'
import type { CommandContext } from '../context.ts'
import { created, type Answer, type Incoming } from '../http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { changeRules } from './change-rules.ts'
import { draftRoute } from './draft/draft.ts'
import { passageFor } from './passage.ts'
import { refusalOf } from './reach.ts'
import { ruleOf, type NamedRoute, type RouteRecord } from './record.ts'
import { findRoute, insertRoute } from './store.ts'
import type { Traffic } from './traffic.ts'

export const createRoute =
  (traffic: Traffic) =>
  (context: CommandContext, incoming: Incoming<CreateRouteBody>): Promise<Answer> =>
    context.inTurn(async () => {
      const { record: wanted, warnings } = await draftRoute(context, incoming)
      const changed = await changeRules(context, traffic, [{ route_rule_id: wanted.route_rule_id, rule: ruleOf(wanted) }])
      // What was put back leaves no record; what is stuck is stored and told.
      const refusal = refusalOf([wanted], changed.outcome)
      if (refusal && changed.outcome.outcome === 'restored') throw refusal
      const record = await store(context, traffic, wanted, changed.outcome)
      context.note.target('route', record.route_rule_id)
      if (refusal) throw refusal
      const more = await passageFor(context, record)
      return created(await changeAnswer(context, record, changed, [...warnings, ...more]))
    })

/** A rule that cannot be stored would be nobody's, so it is taken out of the kernel again. */
export async function store(context: CommandContext, traffic: Traffic, wanted: NamedRoute, outcome: Outcome): Promise<RouteRecord> {
  const { route_rule_id } = wanted
  try {
    await context.db.transaction().execute((transaction) => insertRoute(transaction, { ...wanted, ...endedAs(outcome, context.now().toISOString()) }))
    const record = await findRoute(context.db, route_rule_id)
    if (!record) throw new Error(`Rule ${route_rule_id} was stored and is not there`)
    return record
  } catch (failure) {
    if (outcome.outcome !== 'applied') throw failure
    const undone = await changeRules(context, traffic, [{ route_rule_id, rule: null }])
    throw refusalOf([wanted], undone.outcome) ?? failure
  }
}
