// Changes a stored network: drafted, carried out, read back, and only then stored (reference.md, PATCH /networks/{id}).
import { labelsAlone } from '@panel/shared/api/base/field-list.ts'
import type { ChangeNetworkAnswer } from '@panel/shared/api/networks/answers.ts'
import type { UpdateNetworkBody } from '@panel/shared/api/networks/bodies.ts'
import { NETWORK_FIELDS } from '@panel/shared/api/networks/fields.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import { save, update } from '../../change/engine.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { requireVersion } from '../../platform/http/if-match.ts'
import { changeAnswer } from './answer.ts'
import { changesIn, foreseenOf, planNetworkChange } from './change.ts'
import { checkTitle } from './draft/title.ts'
import { draftNetwork, type DraftRequest } from './draft/draft.ts'
import { guardOwnAccess } from './own-access.ts'
import { planView, verificationView } from './plan-view.ts'
import { stateOf, type NetworkRecord } from './record.ts'
import { networkRecords, networkResource } from './resource.ts'
import { pathTunnels } from './store.ts'
import { idIn, requireNetwork, targetOf } from './target.ts'
import { networkView, NOT_OBSERVED } from './view.ts'

/** Plans a change by reading alone. */
export async function planUpdate(context: ReadContext, stored: NetworkRecord, request: DraftRequest) {
  const { record, warnings, tunnels } = await draftNetwork(context, request, stored)
  const state = stateOf(record, tunnels)
  const destinations = [stored.destination, record.destination]
  const change = await planNetworkChange(context.request, { destinations, states: state ? [state] : [] })
  return { wanted: { ...record, network_id: stored.network_id }, warnings, tunnels, change }
}

export async function foreseeUpdate(context: ReadContext, incoming: Incoming<UpdateNetworkBody>): Promise<Foreseen> {
  const stored = await requireNetwork(context.db, idIn(incoming.params))
  if (await labelsIn(context, stored, incoming)) return NOTHING_FORESEEN
  const { change, warnings } = await planUpdate(context, stored, incoming)
  return foreseenOf(change, warnings)
}

export const updateNetwork = (
  context: CommandContext,
  incoming: Incoming<UpdateNetworkBody>,
): Promise<Answer<ChangeNetworkAnswer>> =>
  context.inTurn(async () => {
    const stored = await targetOf(context, incoming.params)
    requireVersion(stored, incoming)
    const labels = await labelsIn(context, stored, incoming)
    if (labels) return ok(await relabel(context, stored, labels))
    const { wanted, warnings, change } = await planUpdate(context, stored, incoming)
    await guardOwnAccess(context, change, incoming)
    const changes = changesIn(change)
    const { record, outcome } = await update(context, networkResource(context), { stored, wanted, changes })
    context.note.rename(stored.network_title, record.network_title)
    return ok(await changeAnswer(context, record, { change, checks: outcome.checks, warnings }))
  })

type Labels = NonNullable<ReturnType<typeof labelsAlone<typeof NETWORK_FIELDS>>>

/** The labels of a request for nothing else; null otherwise, and of a request that names nothing. */
async function labelsIn(
  { db }: ReadContext,
  stored: NetworkRecord,
  { body, problems }: Pick<Incoming<UpdateNetworkBody>, 'body' | 'problems'>,
): Promise<Labels | null> {
  const labels = problems.isEmpty ? labelsAlone(NETWORK_FIELDS, stored, body) : null
  if (!labels || Object.keys(labels).length === 0) return null
  await checkTitle(db, labels.network_title, { problems, stored })
  problems.throwIfAny()
  return labels
}

/** Changes what people call a network or write about it, in the store alone (decisions.md, T25). */
async function relabel(context: CommandContext, stored: NetworkRecord, labels: Labels): Promise<ChangeNetworkAnswer> {
  const wanted = { ...stored, ...labels, updated_date: context.now().toISOString() }
  const record = await save(context, networkRecords(context), { id: stored.network_id, wanted })
  context.note.rename(stored.network_title, record.network_title)
  return {
    network: networkView(record, await pathTunnels(context.db, [record]), NOT_OBSERVED),
    plan: planView({ before: null, after: null }, { network_id: record.network_id, warnings: [] }),
    verification: verificationView([]),
    warnings: [],
  }
}
