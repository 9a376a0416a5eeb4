// Enable, disable and reapply: the kernel is taken to what is stored, or to nothing of it (reference.md, States;
// decisions.md, F16).
import type { RouteActionAnswer } from '@panel/shared/api/routes/answers.ts'
import type { EndRouteBody, RouteActionBody } from '@panel/shared/api/routes/bodies.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { dropConnections } from './drop-connections.ts'
import { draftUpdate } from './draft/update.ts'
import { requireRoute, targetOf } from './target.ts'
import { preparePath } from './path/path-check.ts'
import { endedBy, foreseeRules, foreseeSwitches } from './foreseen.ts'
import { reapplyRules, updateRule, wantedOf } from './change.ts'
import type { NamedRoute, RouteRecord } from './record.ts'
import { routesOf } from './store.ts'
import type { Accounting } from './accounting.ts'
import type { ChangeDeps } from './foresee-causes.ts'

type Handler<B> = (context: CommandContext, incoming: Incoming<B>) => Promise<Answer<RouteActionAnswer>>
interface Wanted {
  readonly wanted: NamedRoute
  readonly warnings: Awaited<ReturnType<typeof draftUpdate>>['warnings']
  readonly drop_connections?: boolean | undefined
}

/** Decides on the wanted state by reading alone. */
type Decide<B> = (context: ReadContext, stored: RouteRecord, incoming: Incoming<B>) => Promise<Wanted>

const act =
  <B>(action: RouteActionAnswer['action'], decide: Decide<B>) =>
  ({ traffic, foreseeCauses }: ChangeDeps): Handler<B> =>
  (context, incoming) =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      const { wanted, warnings, drop_connections } = await decide(context, stored, incoming)
      const switches = await foreseeSwitches(context, [wanted])
      const { record, changed } = await updateRule(context, traffic, stored, wanted)
      const { connections_dropped, warnings: undropped } = await dropConnections(
        context,
        stored,
        record,
        drop_connections,
      )
      const answer: RouteActionAnswer = {
        action,
        ...(await changeAnswer(context, foreseeCauses, record, { ...changed, switches }, [
          ...warnings,
          ...(await preparePath(context, record)),
          ...undropped,
        ])),
        connections_dropped,
      }
      return ok(answer)
    })

const foresee =
  <B>(decide: Decide<B>) =>
  async (context: ReadContext, incoming: Incoming<B>): Promise<Foreseen> => {
    const stored = await requireRoute(context.db, incoming.params)
    const { wanted, warnings, drop_connections } = await decide(context, stored, incoming)
    const ended = endedBy(stored, wanted, drop_connections)
    return foreseeRules(context, { rules: [wantedOf(wanted, stored)], records: [wanted], warnings, ended })
  }

/** Others may have come onto its ports while it was out of force. */
const toEnable: Decide<RouteActionBody> = async (context, stored, { body, problems, panelPorts }) => {
  const { record, warnings } = await draftUpdate(context, stored, {
    body: { is_enabled: true, ...(body.force === undefined ? {} : { force: body.force }) },
    problems,
    panelPorts,
  })
  return { wanted: record, warnings }
}

const toDisable: Decide<EndRouteBody> = async (_context, stored, { body }) => ({
  wanted: { ...stored, is_enabled: false },
  warnings: [],
  drop_connections: body.drop_connections,
})

/** The remedy where the kernel holds something else than is stored. */
const toReapply: Decide<RouteActionBody> = async (_context, stored) => ({ wanted: stored, warnings: [] })

export const [enableRoute, foreseeEnable] = [act('enable', toEnable), foresee(toEnable)]
export const [disableRoute, foreseeDisable] = [act('disable', toDisable), foresee(toDisable)]
export const [reapplyRoute, foreseeReapply] = [act('reapply', toReapply), foresee(toReapply)]

/** Without a request. Rules that were deleted since are left out. */
export const reapplyByItself = (context: CommandContext, traffic: Accounting, ids: readonly number[]): Promise<void> =>
  context.inTurn(async () => {
    const stored = await routesOf(context.db, ids)
    if (stored.length > 0) await reapplyRules(context, traffic, stored)
  })
