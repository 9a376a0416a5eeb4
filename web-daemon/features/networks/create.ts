// Makes a network: drafted, stored as pending, carried out, and read back (reference.md, POST /networks).
import type { ChangeNetworkAnswer } from '@panel/shared/api/networks/answers.ts'
import type { CreateNetworkBody } from '@panel/shared/api/networks/bodies.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { create } from '../../change/engine.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { changesIn, foreseenOf, planNetworkChange } from './change.ts'
import { draftNetwork, type DraftRequest } from './draft/draft.ts'
import { guardOwnAccess } from './own-access.ts'
import { stateOf } from './record.ts'
import { networkResource } from './resource.ts'

/** Plans a creation by reading alone; what root keeps under the destination already is taken over. */
export async function planCreation(context: ReadContext, request: DraftRequest) {
  const { record, warnings, tunnels } = await draftNetwork(context, request)
  const state = stateOf(record, tunnels)
  const wanted = { destinations: [record.destination], states: state ? [state] : [] }
  return { record, warnings, tunnels, change: await planNetworkChange(context.request, wanted) }
}

export async function foreseeCreation(context: ReadContext, incoming: Incoming<CreateNetworkBody>): Promise<Foreseen> {
  const { change, warnings } = await planCreation(context, incoming)
  return foreseenOf(change, warnings)
}

export const createNetwork = (
  context: CommandContext,
  incoming: Incoming<CreateNetworkBody>,
): Promise<Answer<ChangeNetworkAnswer>> =>
  context.inTurn(async () => {
    const { record: draft, warnings, change } = await planCreation(context, incoming)
    await guardOwnAccess(context, change, incoming)
    const { record, outcome } = await create(context, networkResource(context, incoming.reviving ?? undefined), {
      draft,
      changes: changesIn(change),
    })
    return created(await changeAnswer(context, record, { change, checks: outcome.checks, warnings }))
  })
