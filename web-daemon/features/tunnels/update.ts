// Changes a stored tunnel: drafted, confirmed where that is necessary, carried out, read back, and only then
// stored (reference.md, PATCH /tunnels/{id}).
import type { UpdateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { UpdateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { save, update } from '../../change/engine.ts'
import type { Check } from '@panel/shared/change/check.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { requireVersion } from '../../platform/http/if-match.ts'
import { changeAnswer } from './answer.ts'
import { withCarriedRoutes } from './carried-routes.ts'
import { demandConfirmation, reasonsToConfirm } from './confirm.ts'
import { refuseUnsupported } from './create.ts'
import { draftUpdate, type UpdateDraft, type UpdateRequest } from './draft/update.ts'
import { dependantWarnings, type DependentRoutes } from './dependants.ts'
import { idIn } from './get.ts'
import { requireTunnel, targetOf } from './target.ts'
import { foreseenOf } from './foreseen.ts'
import { guardOwnAccess } from './own-access.ts'
import { foreseenWithPaths, NO_PATHS, refuseNewName, withPaths, type Paths, type PathUse } from './path-use.ts'
import { planView } from './plan-view.ts'
import type { TunnelRecord } from './record.ts'
import { labelsIn, relabel } from './relabel.ts'
import { tunnelResource } from './resource.ts'

export const updateTunnel =
  (dependants: DependentRoutes, paths: PathUse) =>
  (
    context: CommandContext,
    { params, body, problems, client_ip, server_ip, if_match }: Incoming<UpdateTunnelBody>,
  ): Promise<Answer<UpdateTunnelAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, idIn(params))
      requireVersion(stored, { if_match })
      const answer = await amend(context, stored, { body, problems, client_ip, server_ip }, paths)
      const isTakenDown = stored.is_enabled && !answer.tunnel.is_enabled
      const more = isTakenDown
        ? dependantWarnings(stored.interface_name, await dependants(context, stored.tunnel_id))
        : []
      return ok({ ...answer, warnings: [...answer.warnings, ...more] } satisfies UpdateTunnelAnswer)
    })

export const foreseeUpdate =
  (paths: PathUse) =>
  async (context: ReadContext, incoming: Incoming<UpdateTunnelBody>): Promise<Foreseen> =>
    foreseeAmendment(context, await requireTunnel(context.db, idIn(incoming.params)), incoming, paths)

export async function foreseeAmendment(
  context: ReadContext,
  stored: TunnelRecord,
  request: UpdateRequest,
  paths: Paths = NO_PATHS,
): Promise<Foreseen> {
  if (labelsIn(stored, request)) return NOTHING_FORESEEN
  const draft = await draftUpdate(context, stored, request)
  await refuseNewName(paths, context.db, stored, draft.record.interface_name)
  if (draft.record.tunnel_type_id !== stored.tunnel_type_id) await refuseUnsupported(context, draft)
  if (!draft.concernsHost) return foreseenOf([], draft.warnings)
  const { change, warnings } = await withCarriedRoutes(context, draft)
  const upAndDown = { tunnel_id: stored.tunnel_id, was: stored.is_enabled, shall: draft.record.is_enabled }
  const foreseen = foreseenOf([change], [...draft.warnings, ...warnings])
  return foreseenWithPaths(paths, context, upAndDown, foreseen)
}

/** The update pipeline. Call it inside `inTurn`. */
export async function amend(
  context: CommandContext,
  stored: TunnelRecord,
  request: UpdateRequest & { readonly client_ip: string; readonly server_ip: string },
  paths: Paths = NO_PATHS,
): Promise<UpdateTunnelAnswer> {
  const labels = labelsIn(stored, request)
  if (labels) return relabel(context, stored, labels)
  const { body, client_ip, server_ip } = request
  const draft = await draftUpdate(context, stored, request)
  const { before, after, record: wanted, facts } = draft
  await refuseNewName(paths, context.db, stored, wanted.interface_name)
  const toConfirm = reasonsToConfirm(stored, wanted, { before, after })
  demandConfirmation(stored.interface_name, toConfirm, body.confirm_recreate === true)
  const accepts = body.i_understand_i_may_lose_access === true
  const carried = await withCarriedRoutes(context, { before, after })
  await guardOwnAccess(context, stored, carried.change, { client_ip, server_ip, accepts })
  if (wanted.tunnel_type_id !== stored.tunnel_type_id) await refuseUnsupported(context, draft)
  const upAndDown = { tunnel_id: stored.tunnel_id, was: stored.is_enabled, shall: wanted.is_enabled }
  const { result, unmoved } = await withPaths(paths, context, upAndDown, () => carryOutUpdate(context, stored, draft))
  const { record, checks, steps } = result
  const warnings = [...draft.warnings, ...carried.warnings, ...unmoved]
  context.note.rename(stored.interface_name, record.interface_name)
  context.note.rename(stored.display_name, record.display_name)
  const { interface_name, tunnel_id } = record
  const plan = planView(carried.change, {
    interface_name,
    tunnel_id,
    folders: facts.helper,
    warnings,
    reasons: toConfirm.recreates,
  })
  return changeAnswer(context, record, { plan, checks, steps, warnings })
}

/** The check of a change that the host has no part in, made while the helper is away. */
const UNVERIFIED: Check = {
  name: 'helper',
  ok: false,
  expected: 'an answer of the root helper',
  actual: 'none',
  detail: 'The record is changed; the host could not be looked at, and the change does not concern it.',
}

interface Updated {
  readonly record: TunnelRecord
  readonly checks: readonly Check[]
  /** What root did. */
  readonly steps: readonly string[]
}

/** What the kernel never sees leaves the host alone, drifted or not: correcting drift is what reapply is for. */
async function carryOutUpdate(
  context: CommandContext,
  stored: TunnelRecord,
  { before, after, record: wanted, concernsHost }: UpdateDraft,
): Promise<Updated> {
  const resource = tunnelResource(context)
  if (concernsHost) {
    const { record, outcome } = await update(context, resource, { stored, wanted, changes: [{ before, after }] })
    return { record, checks: outcome.checks, steps: outcome.steps }
  }
  const verified = await nullIfHelperAway(resource.verify({ before: after, after }))
  return {
    record: await save(context, resource, { id: stored.tunnel_id, wanted }),
    checks: verified?.checks ?? [UNVERIFIED],
    steps: [],
  }
}
