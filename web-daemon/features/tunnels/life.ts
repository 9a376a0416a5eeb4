// Up, down, restart and reapply: the host is taken to what is stored, each in its own way (reference.md, States;
// decisions.md, T13, R24, S17).
import type { TunnelActionAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { TunnelActionBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { update } from '../../change/engine.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { withCarriedRoutes } from './carried-routes.ts'
import { dependantWarnings, type DependentRoutes } from './dependants.ts'
import { idIn } from './get.ts'
import { look, requireTunnel, targetOf } from './target.ts'
import { foreseenOf } from './foreseen.ts'
import { guardOwnAccess } from './own-access.ts'
import { foreseenWithPaths, NO_PATHS, withPaths, type Paths, type PathUse } from './path-use.ts'
import { joinPlans, planView, type Folders } from './plan-view.ts'
import { stateOf, type TunnelRecord } from './record.ts'
import { tunnelResource } from './resource.ts'

type Action = TunnelActionAnswer['action']
type Handler = (
  context: CommandContext,
  incoming: Pick<Incoming<TunnelActionBody>, 'params' | 'body' | 'client_ip' | 'server_ip'>,
) => Promise<Answer<TunnelActionAnswer>>

/** `is_enabled` is stored, and with it whether boot brings the tunnel back; undefined leaves it. */
const act =
  (
    action: Action,
    is_enabled?: boolean,
    dependants: DependentRoutes = async () => [],
    paths: Paths = NO_PATHS,
  ): Handler =>
  (context, { params, body, client_ip, server_ip }) =>
    context.inTurn(async () => {
      const stored = await targetOf(context, idIn(params))
      const { wanted, changes, folders, carried } = await planAct(context, stored, action, is_enabled)
      const accepts = body.i_understand_i_may_lose_access === true
      for (const change of changes) await guardOwnAccess(context, stored, change, { client_ip, server_ip, accepts })
      const upAndDown = { tunnel_id: stored.tunnel_id, was: stored.is_enabled, shall: wanted.is_enabled }
      const { result, unmoved } = await withPaths(paths, context, upAndDown, () =>
        update(context, tunnelResource(context), { stored, wanted, changes }),
      )
      const { record, outcome } = result
      const answer: TunnelActionAnswer = {
        action,
        ...(await changeAnswer(context, record, {
          plan: planOf(
            record,
            carried.map(({ change }) => change),
            folders,
          ),
          checks: outcome.checks,
          steps: outcome.steps,
          warnings: [
            ...carried.flatMap(({ warnings }) => warnings),
            ...dependantWarnings(record.interface_name, await dependants(context, record.tunnel_id)),
            ...unmoved,
          ],
        })),
      }
      return ok(answer)
    })

/** Plans an action by reading alone. */
async function planAct(context: ReadContext, stored: TunnelRecord, action: Action, is_enabled?: boolean) {
  const wanted = { ...stored, is_enabled: is_enabled ?? stored.is_enabled }
  const { found, helper: folders } = await look(context.request, stored.interface_name)
  const changes = stagesOf(action, found.state, stateOf(wanted))
  const carried = await Promise.all(changes.map((change) => withCarriedRoutes(context, change)))
  return { wanted, changes, folders, carried }
}

const foresee =
  (action: Action, is_enabled?: boolean, paths: Paths = NO_PATHS) =>
  async (context: ReadContext, { params }: Incoming<TunnelActionBody>): Promise<Foreseen> => {
    const stored = await requireTunnel(context.db, idIn(params))
    const { carried, wanted } = await planAct(context, stored, action, is_enabled)
    const upAndDown = { tunnel_id: stored.tunnel_id, was: stored.is_enabled, shall: wanted.is_enabled }
    const foreseen = foreseenOf(
      carried.map(({ change }) => change),
      carried.flatMap(({ warnings }) => warnings),
    )
    return foreseenWithPaths(paths, context, upAndDown, foreseen)
  }
export const foreseeUp = (paths: PathUse) => foresee('up', true, paths)
export const foreseeDown = (paths: PathUse) => foresee('down', false, paths)
export const foreseeRestart = foresee('restart')
export const foreseeReapply = foresee('reapply')

export const upTunnel = (paths: PathUse): Handler => act('up', true, undefined, paths)
/** The link stays, down, with its addresses; its unit is disabled, so that no boot brings it back. */
export const downTunnel = (dependants: DependentRoutes, paths: PathUse): Handler =>
  act('down', false, dependants, paths)
/**
 * The link is taken down and brought up again as stored; one that is missing or drifted is put right on the way. A
 * tunnel that is down stays so.
 */
export const restartTunnel = (dependants: DependentRoutes): Handler => act('restart', undefined, dependants)
/** Whatever differs from what is stored is put right, and nothing else is touched. */
export const reapplyTunnel = act('reapply')
/** Without a request, so no client's connection is at stake. */
export const reapplyByItself = (context: CommandContext, tunnel_id: number): Promise<Answer<TunnelActionAnswer>> =>
  reapplyTunnel(context, { params: { id: tunnel_id }, body: {}, client_ip: '', server_ip: '' })

function stagesOf(action: Action, found: TunnelState | null, wanted: TunnelState): Change<TunnelState>[] {
  const resting: TunnelState = { ...wanted, link: wanted.link && { ...wanted.link, is_up: false } }
  if (action !== 'restart' || sameState(resting, wanted)) return [{ before: found, after: wanted }]
  return [
    { before: found, after: resting },
    { before: resting, after: wanted },
  ]
}

function planOf(
  { interface_name, tunnel_id }: TunnelRecord,
  changes: readonly Change<TunnelState>[],
  folders: Folders,
) {
  return joinPlans(changes.map((change) => planView(change, { interface_name, tunnel_id, folders, warnings: [] })))
}
