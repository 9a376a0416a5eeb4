// Takes a network off the host and out of the store (reference.md, DELETE /networks/{id}).
import type { DeleteNetworkAnswer } from '@panel/shared/api/networks/answers.ts'
import type { NetworkActionBody } from '@panel/shared/api/networks/bodies.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { remove } from '../../change/engine.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changesIn, foreseenOf, planNetworkChange } from './change.ts'
import { guardOwnAccess } from './own-access.ts'
import { planView, verificationView } from './plan-view.ts'
import type { NetworkRecord } from './record.ts'
import { networkResource } from './resource.ts'
import { idIn, requireNetwork, targetOf } from './target.ts'

const planRemoval = ({ request }: Pick<ReadContext, 'request'>, { destination }: NetworkRecord) =>
  planNetworkChange(request, { destinations: [destination], states: [] })

export async function foreseeDeletion(
  context: ReadContext,
  { params }: Incoming<NetworkActionBody>,
): Promise<Foreseen> {
  return foreseenOf(await planRemoval(context, await requireNetwork(context.db, idIn(params))), [])
}

export const deleteNetwork = (
  context: CommandContext,
  incoming: Incoming<NetworkActionBody>,
): Promise<Answer<DeleteNetworkAnswer>> =>
  context.inTurn(async () => {
    const stored = await targetOf(context, incoming.params)
    const change = await planRemoval(context, stored)
    await guardOwnAccess(context, change, incoming)
    const outcome = await remove(context, networkResource(context), { rows: [stored], changes: changesIn(change) })
    const { network_id, network_title } = stored
    const answer: DeleteNetworkAnswer = {
      network_id,
      network_title,
      plan: planView(change, { network_id, warnings: [] }),
      verification: verificationView(outcome.checks),
      warnings: [],
    }
    return ok(answer)
  })
