// Changes a stored rule: drafted, carried out, read back, and only then stored (reference.md, PATCH /routes/{id}).
import type { ChangeRouteAnswer, UpdateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { save } from '../../change/engine.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { requireVersion } from '../../platform/http/if-match.ts'
import { changeAnswer } from './answer.ts'
import { updateRule, wantedOf, type Changed } from './change.ts'
import { dropConnections } from './drop-connections.ts'
import { draftUpdate, type UpdateRequest } from './draft/update.ts'
import { endedBy, foreseeRules, foreseeSwitches } from './foreseen.ts'
import { requireRoute, targetOf } from './target.ts'
import { preparePath } from './path/path-check.ts'
import { ruleOf, type NamedRoute, type RouteRecord } from './record.ts'
import { labelsIn, relabel } from './relabel.ts'
import { routeResource } from './resource.ts'
import type { Accounting } from './accounting.ts'
import type { ChangeDeps } from './foresee-causes.ts'

export const updateRoute =
  (deps: ChangeDeps) =>
  (
    context: CommandContext,
    { params, body, problems, panelPorts, if_match }: Incoming<UpdateRouteBody>,
  ): Promise<Answer<UpdateRouteAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, params)
      requireVersion(stored, { if_match })
      return ok(await amend(context, deps, stored, { body, problems, panelPorts }))
    })

export async function foreseeUpdate(context: ReadContext, incoming: Incoming<UpdateRouteBody>): Promise<Foreseen> {
  return foreseeAmendment(context, await requireRoute(context.db, incoming.params), incoming)
}

export async function foreseeAmendment(
  context: ReadContext,
  stored: RouteRecord,
  request: UpdateRequest,
): Promise<Foreseen> {
  const { drop_connections } = request.body
  if (await labelsIn(context.db, stored, request))
    return { ...NOTHING_FORESEEN, ended: [endedBy(stored, stored, drop_connections)].filter((one) => one !== null) }
  const { record, warnings } = await draftUpdate(context, stored, request)
  const ended = endedBy(stored, record, drop_connections)
  const isConcerned = !sameState(ruleOf(stored), ruleOf(record))
  const [rules, records] = isConcerned ? [[wantedOf(record, stored)], [record]] : [[], []]
  return foreseeRules(context, { rules, records, warnings, ended })
}

/** The update pipeline. Call it inside `inTurn`. */
export async function amend(
  context: CommandContext,
  deps: ChangeDeps,
  stored: RouteRecord,
  request: UpdateRequest,
): Promise<UpdateRouteAnswer> {
  const labels = await labelsIn(context.db, stored, request)
  const { answer, record } = labels
    ? { answer: await relabel(context, deps.traffic, stored, labels), record: stored }
    : await change(context, deps, stored, request)
  const { connections_dropped, warnings } = await dropConnections(
    context,
    stored,
    record,
    request.body.drop_connections,
  )
  return { ...answer, warnings: [...answer.warnings, ...warnings], connections_dropped }
}

async function change(
  context: CommandContext,
  { traffic, foreseeCauses }: ChangeDeps,
  stored: RouteRecord,
  request: UpdateRequest,
): Promise<{ readonly answer: ChangeRouteAnswer; readonly record: RouteRecord }> {
  const { record: wanted, warnings } = await draftUpdate(context, stored, request)
  const isConcerned = !sameState(ruleOf(stored), ruleOf(wanted))
  const switches = await foreseeSwitches(context, isConcerned ? [wanted] : [])
  const { record, changed } = isConcerned
    ? await updateRule(context, traffic, stored, wanted)
    : await storeAlone(context, traffic, wanted)
  context.note.rename(stored.route_rule_title, record.route_rule_title)
  const more = isConcerned ? await preparePath(context, record) : []
  const result = { ...changed, switches }
  return { answer: await changeAnswer(context, foreseeCauses, record, result, [...warnings, ...more]), record }
}

interface Updated {
  readonly record: RouteRecord
  readonly changed: Changed
}

/** What the kernel never sees leaves it alone, drifted or not: correcting drift is what reapply is for. */
async function storeAlone(context: CommandContext, traffic: Accounting, wanted: NamedRoute): Promise<Updated> {
  const resource = routeResource(context, traffic)
  const rule = ruleOf(wanted)
  const change = { before: rule && rulesOrNull([rule]), after: rule && rulesOrNull([rule]) }
  const { checks } = rule ? await resource.verify(change) : { checks: [] }
  const { backend } = await context.request('ruleset.probe', { route_rule_ids: [wanted.route_rule_id], from_id: 0 })
  return {
    record: await save(context, resource, { id: wanted.route_rule_id, wanted }),
    changed: { change, backend, outcome: { outcome: 'applied', checks, steps: [], failure: null, remediation: [] } },
  }
}
