// Changes a stored tunnel: drafted, confirmed where the link must be made anew, carried out, read back, and only then stored (interface.md, PATCH /tunnels/{id}).
import type { UpdateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { UpdateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { CommandContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { changeAnswer } from './answer.ts'
import { demandConfirmation, reasonsToConfirm } from './confirm.ts'
import { refuseUnsupported } from './create.ts'
import { draftUpdate, type UpdateDraft, type Wish } from './draft/update.ts'
import { dependantWarnings, type DependentRoutes } from './dependants.ts'
import { idIn } from './get.ts'
import { targetOf } from './look.ts'
import { guardChange } from './own-access.ts'
import { reach, replace, type Reached } from './reach.ts'
import { planView } from './plan-view.ts'
import type { TunnelRecord } from './record.ts'

export const updateTunnel =
  (dependants: DependentRoutes) =>
  (
    context: CommandContext,
    { params, body, problems, client_ip }: Incoming<UpdateTunnelBody>,
  ): Promise<Answer<UpdateTunnelAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, idIn(params))
      const answer = await amend(context, stored, { body, problems, client_ip })
      const isTakenDown = stored.is_enabled && !answer.tunnel.is_enabled
      const more = isTakenDown
        ? dependantWarnings(stored.interface_name, await dependants(context.db, stored.tunnel_id))
        : []
      return ok({ ...answer, warnings: [...answer.warnings, ...more] } satisfies UpdateTunnelAnswer)
    })

/** The update pipeline. Call it inside `inTurn`. */
export async function amend(
  context: CommandContext,
  stored: TunnelRecord,
  wish: Wish & { readonly client_ip: string },
): Promise<UpdateTunnelAnswer> {
  const { body, client_ip } = wish
  const draft = await draftUpdate(context, stored, wish)
  const { before, after, record: wanted, warnings, facts } = draft
  const reasons = reasonsToConfirm(stored, wanted, { before, after })
  demandConfirmation(stored.interface_name, reasons, body.confirm_recreate === true)
  guardChange(stored, { before, after }, client_ip, body.i_understand_i_may_lose_access === true)
  if (wanted.tunnel_type_id !== stored.tunnel_type_id) await refuseUnsupported(context, draft)
  const { record, checks } = draft.concernsHost
    ? await reach(context, { stored, wanted, changes: [{ before, after }] })
    : await storeAlone(context, stored, draft)
  const { interface_name, tunnel_id } = record
  const plan = planView({ before, after }, { interface_name, tunnel_id, folders: facts.helper, warnings, reasons })
  return changeAnswer(context, record, { plan, checks, warnings })
}

/** What the kernel never sees leaves the host alone, drifted or not: putting that right is what reapply is for. */
async function storeAlone(
  context: CommandContext,
  { tunnel_id }: TunnelRecord,
  { after, record }: UpdateDraft,
): Promise<Reached> {
  const { checks } = await context.ask('tunnel.verify', { before: after, after })
  return { record: await replace(context, tunnel_id, record), checks }
}
