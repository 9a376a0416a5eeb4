// Makes a rule: drafted, stored as pending, carried out, and read back (interface.md, POST /routes; decisions.md, S1).
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { bringIn, type Birth } from '../../change/bring-in.ts'
import type { CommandContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { changeRules, type Changed } from './change-rules.ts'
import { draftRoute } from './draft/draft.ts'
import { passageFor } from './health/passage.ts'
import { knownRoute, refusalOf } from './reach.ts'
import { ruleOf, type NamedRoute, type RouteRecord } from './record.ts'
import { insertRoute, markApplied, removeRoute } from './store.ts'
import type { Traffic } from './traffic/traffic.ts'

export const createRoute =
  (traffic: Traffic) =>
  (context: CommandContext, incoming: Incoming<CreateRouteBody>): Promise<Answer<ChangeRouteAnswer>> =>
    context.inTurn(async () => {
      const { record: wanted, warnings } = await draftRoute(context, incoming)
      const { record, carried, refusal } = await bringIn(birthOf(context, traffic, wanted))
      context.note.target('route', record.route_rule_id)
      if (refusal) throw refusal
      const more = await passageFor(context, record)
      return created(await changeAnswer(context, record, carried, [...warnings, ...more]))
    })

function birthOf(context: CommandContext, traffic: Traffic, wanted: NamedRoute): Birth<Changed, RouteRecord> {
  const { db, now } = context
  const { route_rule_id } = wanted
  return {
    now,
    insert: () => db.transaction().execute((transaction) => insertRoute(transaction, wanted)),
    carryOut: () => changeRules(context, traffic, [{ route_rule_id, rule: ruleOf(wanted) }]),
    refusalOf: (outcome) => refusalOf([wanted], outcome),
    end: async (mark) => {
      await markApplied(db, [route_rule_id], mark, now().toISOString())
      return knownRoute(db, route_rule_id)
    },
    takeBack: () => changeRules(context, traffic, [{ route_rule_id, rule: null }]),
    remove: async () => {
      await db.transaction().execute((transaction) => removeRoute(transaction, route_rule_id))
      await traffic.forget(route_rule_id)
    },
  }
}
