// What those who relay over a tunnel tell about it. The rules do: they know the tunnels, and so the tunnels need not
// know them.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { DependentRoute, TunnelRoutesAnswer } from '@panel/shared/api/tunnels/dependent-routes.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { ReadContext, ReadDb } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn } from './get.ts'
import { requireTunnel } from './target.ts'

/** The rules that relay over a tunnel, in their order. */
export type DependentRoutes = (db: ReadDb, tunnel_id: number) => Promise<DependentRoute[]>

const NOTE =
  'Taking the tunnel down leaves these rules installed and takes away the path that they use: what they relay goes nowhere until the tunnel is up again.'

/** reference.md, GET /tunnels/{id}/routes. */
export const listDependants =
  (dependants: DependentRoutes) =>
  async ({ db }: ReadContext, { params }: Incoming): Promise<Answer<TunnelRoutesAnswer>> => {
    const { tunnel_id } = await requireTunnel(db, idIn(params))
    const routes = await dependants(db, tunnel_id)
    const answer: TunnelRoutesAnswer = { routes, total: routes.length, note: NOTE }
    return ok(answer)
  }

/** Of what takes the path away from rules; a rule that is disabled is named too, since it may be enabled again. */
export function dependantWarnings(interface_name: string, routes: readonly DependentRoute[]): Warning[] {
  if (routes.length === 0) return []
  const names = routes.map(({ title, is_enabled }) => (is_enabled ? title : `${title} (disabled)`)).join(', ')
  return [
    {
      code: 'TUNNEL_HAS_DEPENDENT_ROUTES',
      ...verbatim(
        `Rules relay over ${interface_name}: ${names}. They stay installed, and the path that they use is taken away.`,
      ),
      field: '',
    },
  ]
}
