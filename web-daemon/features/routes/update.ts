// Changes a stored rule: drafted, carried out, read back, and only then stored (interface.md, PATCH /routes/{id}).
import type { UpdateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import type { CommandContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { concernsKernel } from './change-rules.ts'
import { dropConnections } from './connections/connections.ts'
import { draftUpdate, type Wish } from './draft/update.ts'
import { targetOf } from './get.ts'
import { passageFor } from './health/passage.ts'
import { reach, replace, type Reached } from './reach.ts'
import { ruleOf, type NamedRoute, type RouteRecord } from './record.ts'
import type { Traffic } from './traffic/traffic.ts'

export const updateRoute =
  (traffic: Traffic) =>
  (
    context: CommandContext,
    { params, body, problems, server_port }: Incoming<UpdateRouteBody>,
  ): Promise<Answer<UpdateRouteAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, params)
      return ok(await amend(context, traffic, stored, { body, problems, server_port }))
    })

/** The update pipeline. Call it inside `inTurn`. */
export async function amend(
  context: CommandContext,
  traffic: Traffic,
  stored: RouteRecord,
  wish: Wish,
): Promise<UpdateRouteAnswer> {
  const { record: wanted, warnings } = await draftUpdate(context, stored, wish)
  const isConcerned = concernsKernel(ruleOf(stored), ruleOf(wanted))
  const { record, changed } = isConcerned
    ? await reach(context, traffic, stored, wanted)
    : await storeAlone(context, wanted)
  const more = isConcerned ? await passageFor(context, record) : []
  const { connections_dropped, warnings: undropped } = await dropConnections(
    context,
    stored,
    record,
    wish.body.drop_connections,
  )
  return {
    ...(await changeAnswer(context, record, changed, [...warnings, ...more, ...undropped])),
    connections_dropped,
  }
}

/** What the kernel never sees leaves it alone, drifted or not: putting that right is what reapply is for. */
async function storeAlone(context: CommandContext, wanted: NamedRoute): Promise<Reached> {
  const rule = ruleOf(wanted)
  const change = { before: rule && rulesOrNull([rule]), after: rule && rulesOrNull([rule]) }
  const { checks } = rule ? await context.ask('ruleset.verify', change) : { checks: [] }
  const { backend } = await context.ask('ruleset.probe', { route_rule_ids: [wanted.route_rule_id], from_id: 0 })
  context.publish('routes.changed', { route_rule_ids: [wanted.route_rule_id] })
  return {
    record: await replace(context, wanted),
    changed: { change, backend, outcome: { outcome: 'applied', checks, steps: [], failure: null, remediation: [] } },
  }
}
