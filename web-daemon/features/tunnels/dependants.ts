// What those who relay over a tunnel tell about it. The rules do: they know the tunnels, and so the tunnels need not
// know them.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { DependentRoute, TunnelRoutesAnswer } from '@panel/shared/api/tunnels/dependent-routes.ts'
import { message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn } from './get.ts'
import { requireTunnel } from './target.ts'

/** The rules that relay over a tunnel, in their order. */
export type DependentRoutes = (
  context: Pick<ReadContext, 'db' | 'request'>,
  tunnel_id: number,
) => Promise<DependentRoute[]>

const NOTE = message('tunnel.dependants_note')

/** reference.md, GET /tunnels/{id}/routes. */
export const listDependants =
  (dependants: DependentRoutes) =>
  async (context: ReadContext, { params }: Incoming): Promise<Answer<TunnelRoutesAnswer>> => {
    const { tunnel_id } = await requireTunnel(context.db, idIn(params))
    const routes = await dependants(context, tunnel_id)
    const answer: TunnelRoutesAnswer = { routes, total: routes.length, note: NOTE.message, note_message: NOTE }
    return ok(answer)
  }

/** Warnings about rules that lose their path; a rule that is disabled is named too, since it may be enabled again. */
export function dependantWarnings(interface_name: string, routes: readonly DependentRoute[]): Warning[] {
  if (routes.length === 0) return []
  const rules = routes.map(({ route_rule_id, title, is_enabled }) => {
    const rule = ruleNamed({ route_rule_id, route_rule_title: title })
    return is_enabled ? rule : message('tunnel.rule_disabled', { rule })
  })
  return [
    {
      code: 'TUNNEL_HAS_DEPENDENT_ROUTES',
      ...message('tunnel.dependent_rules', { name: interface_name, rules }),
      field: '',
    },
  ]
}
