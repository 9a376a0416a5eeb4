// Shows what POST /networks or PATCH /networks/{id} would do, and does nothing of it (reference.md, POST
// /networks/preview).
import type { PreviewNetworkAnswer } from '@panel/shared/api/networks/answers.ts'
import type { PreviewNetworkBody } from '@panel/shared/api/networks/bodies.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { foreseenOf } from './change.ts'
import { planCreation } from './create.ts'
import { asBody } from './draft/context.ts'
import { planView } from './plan-view.ts'
import type { NetworkRecord } from './record.ts'
import { findNetwork } from './store.ts'
import { planUpdate } from './update.ts'
import { pathViews } from './view.ts'

export const previewNetwork =
  (readImpact: ReadImpact) =>
  async (context: ReadContext, incoming: Incoming<PreviewNetworkBody>): Promise<Answer<PreviewNetworkAnswer>> => {
    const stored = await storedOf(context, incoming)
    const { record, warnings, tunnels, change } = stored
      ? await planUpdate(context, stored, incoming).then(({ wanted, ...plan }) => ({ record: wanted, ...plan }))
      : await planCreation(context, incoming)
    return ok({
      plan: planView(change, { network_id: stored?.network_id ?? null, warnings }),
      paths: pathViews(record, tunnels),
      impact: await readImpact(context, foreseenOf(change, warnings), incoming),
      resolved: asBody(record),
      warnings: [...warnings],
    })
  }

async function storedOf(
  { db }: ReadContext,
  { body: { network_id }, problems }: Incoming<PreviewNetworkBody>,
): Promise<NetworkRecord | null> {
  if (network_id === undefined) return null
  const stored = await findNetwork(db, network_id)
  if (!stored) problems.add('network_id', 'UNKNOWN_NETWORK', message('network.not_found', { network_id }))
  problems.throwIfAny()
  return stored
}
