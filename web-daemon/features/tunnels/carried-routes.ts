// The foreign routes through a tunnel whose link is made again: root takes along what it can, and the operator is
// informed of the rest (decisions.md, T23).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { message } from '@panel/shared/messages/message.ts'
import { carryRoutes, lostRoutes, type RoutesThrough } from '@panel/shared/tunnel/carry-routes.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { asStates, planChange } from '@panel/shared/tunnel/plans.ts'
import { formatRoute } from '@panel/shared/tunnel/routes.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'

export interface Carried {
  /** The change with the routes that root takes along, for the plan that is shown: root finds them itself. */
  readonly change: Change<TunnelState>
  readonly warnings: readonly Warning[]
}

export async function withCarriedRoutes(
  { request }: Pick<ReadContext, 'request'>,
  change: Change<TunnelState>,
): Promise<Carried> {
  const { before } = change
  if (!before || planChange(change).operation !== 'recreate') return { change, warnings: [] }
  const found = await nullIfHelperAway(request('route.through', { interface_names: [before.interface_name] }))
  const through: RoutesThrough = new Map((found?.links ?? []).map((one) => [one.interface_name, one.routes]))
  const carried = carryRoutes(asStates(change), through)
  const lost = lostRoutes(carried, through).map(formatRoute).join(', ')
  return {
    change: { before: carried.before?.[0] ?? null, after: carried.after?.[0] ?? null },
    warnings:
      lost === ''
        ? []
        : [
            {
              code: 'ROUTES_LOST',
              ...message('tunnel.routes_lost', { name: before.interface_name, routes: lost }),
              field: '',
            },
          ],
  }
}
