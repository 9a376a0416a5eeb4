// The draft of a change: the checks of a creation, run over the stored tunnel with the requested changes (reference.md,
// PATCH /tunnels/{id}).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { UpdateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { sameState } from '@panel/shared/change/change.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { isNewProblem } from '../../../platform/http/new-problems.ts'
import { isHelperAway } from '../../../platform/helper/away.ts'
import type { Refusal } from '../../../platform/http/refusal.ts'
import { NO_FACTS, type HostFacts } from '../facts.ts'
import { stateOf, type NewTunnel, type TunnelRecord } from '../record.ts'
import { stateToChange } from './before.ts'
import { draftFields, incomplete, makeRecord } from './draft.ts'
import { farEndFields, withFarEnd } from './far-end.ts'
import { localEndFields, withLocalEnd } from './local-end.ts'
import { FIELD_ORDER, makeDraftContext, type RequestedTunnel, type DraftContext } from './context.ts'

export interface UpdateDraft {
  readonly record: NewTunnel
  /** The state of the host, before and after. Both are the new state if the change does not concern the host. */
  readonly before: TunnelState | null
  readonly after: TunnelState
  readonly concernsHost: boolean
  readonly warnings: Warning[]
  readonly facts: HostFacts
}

export interface UpdateRequest {
  readonly body: UpdateTunnelBody
  /** Prefilled with what the schema found. */
  readonly problems: Problems
  /** What the name of the far end has been found to lead to. */
  readonly resolved?: readonly string[]
  /** The ends follow the host: without a route the tunnel keeps its address. */
  readonly isFollowed?: boolean
  /** Maps a field of the tunnel to the field of the request that it came from. */
  readonly mapField?: (field: string) => string
}

/** Throws 422 with all problems at once, except those that the stored tunnel has already. */
export async function draftUpdate(
  context: ReadContext,
  stored: TunnelRecord,
  { body, problems, resolved, isFollowed, mapField = (field) => field }: UpdateRequest,
): Promise<UpdateDraft> {
  const wanted = { ...asCreateBody(stored), ...body }
  const drafting = async (facts?: HostFacts): Promise<DraftContext> => {
    const requested = await makeDraftContext(context, wanted, problems, { stored, ...(facts && { facts }) })
    const draft = await withFarEnd(requested, { sent: body, ...(resolved && { resolved }) })
    return withLocalEnd(context, draft, { sent: body, isFollowed })
  }
  let away: Refusal | null = null
  const draft = await drafting().catch((thrown: unknown) => {
    if (!isHelperAway(thrown)) throw thrown
    away = thrown
    return drafting(NO_FACTS)
  })
  const fields = draftFields(draft)
  const existing = draftUnchanged(draft, stored)
  const fresh = new Problems()
  for (const problem of problems.all.filter(isNewProblem(existing.problems.all)))
    fresh.add(mapField(problem.field), problem.code, problem, problem.details)
  fresh.throwIfAny(FIELD_ORDER)
  if (!fields) throw incomplete()
  const record = withChanges(stored, body, makeRecord(draft, fields, context.now().toISOString()))
  const warnings = draft.warnings
    .filter(isNewProblem(existing.warnings))
    .map((warning) => ({ ...warning, field: mapField(warning.field) }))
  const after = stateOf(record)
  const concernsHost = !sameState(stateOf(stored), after)
  // What the kernel never sees can be changed while nobody can look at it.
  if (away && concernsHost) throw away
  const before = concernsHost ? await stateToChange(context, stored.interface_name, after) : after
  return { record, before, after, concernsHost, warnings, facts: draft.facts }
}

/** The stored tunnel as the request that would create it. Requests and records use the same field names. */
export function asCreateBody(stored: NewTunnel): RequestedTunnel {
  const fields = FIELD_ORDER.filter((field) => field in stored).map((field) => [
    field,
    stored[field as keyof NewTunnel],
  ])
  const addresses = stored.addresses.map(({ address, peer_address, prefix_length, is_primary }) => ({
    address,
    peer_address,
    prefix_length,
    is_primary,
  }))
  return { ...(Object.fromEntries(fields) as RequestedTunnel), addresses }
}

/** The draft without the changes: its problems existed before. */
function draftUnchanged(draft: DraftContext, stored: TunnelRecord): DraftContext {
  const unchanged: DraftContext = {
    ...draft,
    body: asCreateBody(stored),
    kind: kindOfType(stored.tunnel_type_id),
    problems: new Problems(),
    warnings: [],
  }
  draftFields(unchanged)
  return unchanged
}

/** Fields that the request does not name keep their value. */
function withChanges(stored: TunnelRecord, body: UpdateTunnelBody, drafted: NewTunnel): NewTunnel {
  const { tunnel_id: _id, ...unnamed } = stored
  const named = Object.fromEntries(Object.entries(drafted).filter(([field]) => field in body)) as Partial<NewTunnel>
  const is_name_templated =
    drafted.interface_name === stored.interface_name ? stored.is_name_templated : drafted.is_name_templated
  const { updated_date } = drafted
  const ends = { ...localEndFields(stored, drafted), ...farEndFields(stored, drafted, updated_date) }
  return { ...unnamed, ...named, ...ends, is_name_templated, updated_date }
}
