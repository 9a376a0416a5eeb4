// Shows what POST /routes would do, to the letter, and does nothing of it (interface.md, POST /routes/preview; decisions.md, F12, T11).
import type { PreviewRouteAnswer } from '@panel/shared/api/route-answers.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes.ts'
import { inOrder } from '@panel/shared/model/canonical-ruleset.ts'
import type { ReadContext } from '../context.ts'
import { ok, type Answer, type Incoming } from '../http/endpoint.ts'
import { draftRoute } from './draft/draft.ts'
import { payloadNote, payloadOf } from './payload.ts'
import { planView } from './plan-view.ts'
import { ruleOf } from './record.ts'
import { allRoutes } from './store.ts'

export async function previewRoute(context: ReadContext, incoming: Incoming<CreateRouteBody>): Promise<Answer> {
  const { record, resolved, warnings, rule_backend } = await draftRoute(context, incoming)
  const rule = ruleOf(record)
  // The kernel's own rules are read by starting a program, and a preview starts nothing.
  const held = (await allRoutes(context.db)).flatMap((one) => ruleOf(one) ?? [])
  const answer: PreviewRouteAnswer = {
    payload: rule ? payloadOf(rule_backend, held, [...held, rule].sort(inOrder)) : '',
    plan: planView({ before: null, after: rule && [rule] }, { route_rule_id: null, warnings }),
    resolved,
    warnings,
    note: `${rule ? payloadNote(rule_backend) : 'The rule is disabled, so nothing would be submitted.'} Nothing was applied or stored.`,
  }
  return ok(answer)
}
