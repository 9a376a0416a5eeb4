// Takes a rule out of the kernel and out of the store (reference.md, DELETE /routes/{id}; decisions.md, F15).
import type { DeleteRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { EndRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { remove } from '../../change/engine.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeOf, type WantedRule } from './change.ts'
import { dropConnections } from './drop-connections.ts'
import { endedBy, foreseeRules } from './foreseen.ts'
import { requireRoute, targetOf } from './target.ts'
import { planView, verificationView } from './plan-view.ts'
import { ruleOf, type RouteRecord } from './record.ts'
import { countInForce, places } from './store.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import type { Accounting } from './accounting.ts'

export const absent = (stored: RouteRecord): WantedRule => ({
  route_rule_id: stored.route_rule_id,
  rule: null,
  stored: ruleOf(stored),
})

export async function foreseeDeletion(
  context: ReadContext,
  { params, body }: Incoming<EndRouteBody>,
): Promise<Foreseen> {
  const stored = await requireRoute(context.db, params)
  const ended = endedBy(stored, null, body.drop_connections)
  return foreseeRules(context, { rules: [absent(stored)], records: [], ended })
}

export const deleteRoute =
  (traffic: Accounting) =>
  (context: CommandContext, { params, body }: Incoming<EndRouteBody>): Promise<Answer<DeleteRouteAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, params)
      const { route_rule_id, route_rule_title: title } = stored
      const { resource, change, backend } = await changeOf(context, traffic, [absent(stored)])
      const outcome = await remove(context, resource, { rows: [stored], changes: [change] })
      const { connections_dropped, warnings } = await dropConnections(context, stored, null, body.drop_connections)
      const { ipv4, ipv6 } = await countInForce(context.db)
      const forwarding_can_be_reverted = await canRevert(context)
      const answer: DeleteRouteAnswer = {
        route_rule_id,
        title,
        plan: planView(change, { route_rule_id, warnings }),
        verification: verificationView(outcome.checks, { backend, rule_count: ipv4 + ipv6 }),
        connections_dropped,
        forwarding_can_be_reverted,
        warnings,
        ...messageFields(
          'note',
          message(forwarding_can_be_reverted ? 'note.forwarding_revertible' : 'note.forwarding_stays'),
        ),
      }
      return ok(answer)
    })

/** The panel turned it on, and no rule needs it any more; a disabled one may be enabled again. */
async function canRevert({ request, db }: CommandContext): Promise<boolean> {
  if ((await places(db)).length > 0) return false
  return (await request('forwarding.probe', {})).state.saved !== null
}
