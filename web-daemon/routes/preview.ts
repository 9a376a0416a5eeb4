// Shows what POST /routes would do, to the letter, and does nothing of it (interface.md, POST /routes/preview; decisions.md, F12, T11).
import type { PreviewRouteAnswer } from '@panel/shared/api/route-answers.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes.ts'
import { inOrder } from '@panel/shared/model/canonical-ruleset.ts'
import { rulesOrNull } from '@panel/shared/plan/ruleset.ts'
import { rulesetText } from '@panel/shared/render/ruleset.ts'
import type { ReadContext } from '../context.ts'
import { ok, type Answer, type Incoming } from '../http/endpoint.ts'
import { draftRoute } from './draft/draft.ts'
import { planView } from './plan-view.ts'
import { ruleOf } from './record.ts'
import { allRoutes } from './store.ts'

export async function previewRoute(context: ReadContext, incoming: Incoming<CreateRouteBody>): Promise<Answer> {
  const { record, resolved, warnings } = await draftRoute(context, incoming)
  const rule = ruleOf(record)
  // The kernel's own rules are read by starting nft, and a preview starts nothing.
  const held = (await allRoutes(context.db)).flatMap((one) => ruleOf(one) ?? [])
  const answer: PreviewRouteAnswer = {
    payload: rule ? rulesetText(rulesOrNull(held), [...held, rule].sort(inOrder)) : '',
    plan: planView({ before: null, after: rule && [rule] }, { route_rule_id: null, warnings }),
    resolved,
    warnings,
    note: rule ? 'The payload is the one nftables transaction that would be submitted where the kernel holds the rules as they are stored. Nothing was applied or stored.' : 'The rule is disabled, so nothing would be submitted. Nothing was applied or stored.',
  }
  return ok(answer)
}
