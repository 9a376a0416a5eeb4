// Shows what POST /routes or PATCH /routes/{id} would do, to the letter, and does nothing of it (reference.md, POST
// /routes/preview; decisions.md, F12, T11).
import type { PreviewRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { PreviewRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import { rulesOrNull } from '@panel/shared/ruleset/plan.ts'
import { message, sentences, messageFields } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { draftRoute, type Draft } from './draft/draft.ts'
import { asCreateBody, draftUpdate } from './draft/update.ts'
import type { ForeseeCauses } from './foresee-causes.ts'
import { foreseeSwitches } from './foreseen.ts'
import { payloadOf, ruleText } from './payload.ts'
import { planView } from './plan-view.ts'
import { ruleOf, withStoredIds, type RouteRecord } from './record.ts'
import { allRoutes, findRoute } from './store.ts'

export const previewRoute =
  (readImpact: ReadImpact, foreseeCauses: ForeseeCauses) =>
  async (context: ReadContext, incoming: Incoming<PreviewRouteBody>): Promise<Answer<PreviewRouteAnswer>> => {
    const stored = await storedOf(context, incoming)
    const { record, resolved, warnings, rule_backend } = stored
      ? await draftedChange(context, stored, incoming)
      : await draftRoute(context, incoming)
    const rule = ruleOf(record)
    const present = stored && ruleOf(stored)
    // The kernel's own rules are read by starting a program, and a preview starts nothing.
    const held = (await allRoutes(context.db)).flatMap((one) => ruleOf(one) ?? [])
    const others = held.filter(({ route_rule_id }) => route_rule_id !== stored?.route_rule_id)
    const isSubmitting = rule !== null || present !== null
    const change = { before: present && rulesOrNull([present]), after: rule && [rule] }
    const switches = await foreseeSwitches(context, isSubmitting ? [record] : [])
    const toCome = { switches: switches.map((one) => one.change) }
    const changes = isSubmitting ? [{ noun: 'route' as const, change }, ...switches] : []
    const wanted = [...others, ...(rule ? [rule] : [])].sort(inOrder)
    const { text, note } = isSubmitting
      ? payloadOf(rule_backend, held, wanted)
      : { text: '', note: message('note.preview_disabled') }
    const answer: PreviewRouteAnswer = {
      impact: await readImpact(context, { changes, warnings }, incoming),
      payload: text,
      rule_text: rule ? ruleText(rule_backend, rule) : '',
      present_text: present ? ruleText(rule_backend, present) : '',
      plan: planView(change, {
        route_rule_id: stored?.route_rule_id ?? null,
        warnings,
        causes: await foreseeCauses(context, withStoredIds(record, stored), toCome),
        ...toCome,
      }),
      resolved,
      warnings,
      ...messageFields('note', sentences(note, message('note.nothing_done'))),
    }
    return ok(answer)
  }

async function storedOf(
  { db }: ReadContext,
  { body: { route_rule_id }, problems }: Incoming<PreviewRouteBody>,
): Promise<RouteRecord | null> {
  if (route_rule_id === undefined) return null
  const stored = await findRoute(db, route_rule_id)
  if (!stored) problems.add('route_rule_id', 'UNKNOWN_ROUTE', message('route.not_found', { route_rule_id }))
  problems.throwIfAny()
  return stored
}

async function draftedChange(
  context: ReadContext,
  stored: RouteRecord,
  { body, problems, panelPorts }: Incoming<PreviewRouteBody>,
): Promise<Draft> {
  const { route_rule_id: _which, idempotency_key: _once, ...request } = body
  const { record, warnings, rule_backend } = await draftUpdate(context, stored, {
    body: request,
    problems,
    panelPorts,
  })
  return { record, warnings, rule_backend, resolved: asCreateBody(record) }
}
