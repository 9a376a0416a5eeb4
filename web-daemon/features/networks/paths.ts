// Takes a path of a network out by hand, and puts it back (reference.md, /networks/{id}/paths).
import type { NetworkActionAnswer } from '@panel/shared/api/networks/answers.ts'
import type { NetworkActionBody } from '@panel/shared/api/networks/bodies.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message } from '@panel/shared/messages/message.ts'
import { networkNamed } from '@panel/shared/messages/named.ts'
import { save, update } from '../../change/engine.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { changeAnswer } from './answer.ts'
import { changesIn, foreseenOf, planNetworkChange } from './change.ts'
import { guardOwnAccess } from './own-access.ts'
import { stateOf, type NetworkRecord } from './record.ts'
import { networkRecords, networkResource } from './resource.ts'
import { pathTunnels } from './store.ts'
import { idIn, requireNetwork, targetOf } from './target.ts'

type Action = NetworkActionAnswer['action']
type Params = Incoming['params']

const act =
  (action: Action) =>
  (context: CommandContext, incoming: Incoming<NetworkActionBody>): Promise<Answer<NetworkActionAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      const { wanted, change } = await planAct(context, stored, action, incoming.params)
      if (!change) {
        const record = await save(context, networkRecords(context), { id: stored.network_id, wanted })
        const nothing = { change: { before: null, after: null }, checks: [], warnings: [] }
        return ok({ action, ...(await changeAnswer(context, record, nothing)) })
      }
      await guardOwnAccess(context, change, incoming)
      const changes = changesIn(change)
      const { record, outcome } = await update(context, networkResource(context), { stored, wanted, changes })
      return ok({ action, ...(await changeAnswer(context, record, { change, checks: outcome.checks, warnings: [] })) })
    })

/** Plans by reading alone. Without a change where the same paths go on carrying: correcting drift is what PATCH is for. */
async function planAct(context: ReadContext, stored: NetworkRecord, action: Action, params: Params) {
  const tunnel_id = params['tunnel_id'] ?? 0
  const now = context.now().toISOString()
  if (!stored.paths.some((path) => path.tunnel_id === tunnel_id))
    throw new Refusal('NOT_FOUND', message('network.no_such_path', { tunnel_id, network: networkNamed(stored) }))
  const paths = stored.paths.map((path) =>
    path.tunnel_id === tunnel_id
      ? { ...path, taken_out_date: action === 'put_back' ? null : (path.taken_out_date ?? now) }
      : path,
  )
  const wanted = { ...stored, paths, updated_date: now }
  const tunnels = await pathTunnels(context.db, [stored])
  const [was, shall] = [stateOf(stored, tunnels), stateOf(wanted, tunnels)]
  if (!shall || sameState(was, shall)) return { wanted, change: null }
  const destinations = [stored.destination]
  return { wanted, change: await planNetworkChange(context.request, { destinations, states: [shall] }) }
}

const foresee =
  (action: Action) =>
  async (context: ReadContext, { params }: Incoming<NetworkActionBody>): Promise<Foreseen> => {
    const stored = await requireNetwork(context.db, idIn(params))
    const { change } = await planAct(context, stored, action, params)
    return change ? foreseenOf(change, []) : NOTHING_FORESEEN
  }

export const [takeOut, foreseeTakingOut] = [act('take_out'), foresee('take_out')]
export const [putBack, foreseePuttingBack] = [act('put_back'), foresee('put_back')]
