// Makes a tunnel: drafted, stored as pending, carried out, and read back (reference.md, POST /tunnels; decisions.md,
// S1).
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { Change } from '@panel/shared/change/change.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { kernelRemedy } from '@panel/shared/tunnel/kernel-remedy.ts'
import { create, type Done } from '../../change/engine.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { changeAnswer } from './answer.ts'
import { stateBefore } from './draft/before.ts'
import { draftTunnel, type Draft } from './draft/draft.ts'
import { foreseenOf } from './foreseen.ts'
import { guardOwnAccess } from './own-access.ts'
import { planView } from './plan-view.ts'
import type { TunnelRecord } from './record.ts'
import { tunnelResource } from './resource.ts'

/** Plans a creation by reading alone; `before` is what is found under the name. */
export async function planCreation(
  context: ReadContext,
  incoming: Incoming<CreateTunnelBody>,
): Promise<{ readonly draft: Draft; readonly change: Change<TunnelState> }> {
  const isRestored = incoming.reviving !== undefined
  const draft = await draftTunnel(context, incoming, { isRestored, withLinkKinds: true })
  await refuseUnsupported(context, draft)
  return { draft, change: { before: await stateBefore(context, draft.after), after: draft.after } }
}

export async function foreseeCreation(context: ReadContext, incoming: Incoming<CreateTunnelBody>): Promise<Foreseen> {
  const { draft, change } = await planCreation(context, incoming)
  return foreseenOf([change], draft.warnings)
}

export const createTunnel = (
  context: CommandContext,
  incoming: Incoming<CreateTunnelBody>,
): Promise<Answer<CreateTunnelAnswer>> =>
  context.inTurn(async () => {
    const isRestored = incoming.reviving !== undefined
    const draft = await draftTunnel(context, incoming, { isRestored, withLinkKinds: true })
    await refuseUnsupported(context, draft)
    const { client_ip, server_ip, body } = incoming
    const accepts = body.i_understand_i_may_lose_access === true
    const making = { before: null, after: draft.after }
    await guardOwnAccess(context, draft.record, making, { client_ip, server_ip, accepts })
    const { before, record, outcome } = await make(context, draft, incoming.reviving ?? undefined)
    const { interface_name, tunnel_id } = record
    const { after, warnings, facts } = draft
    const plan = planView({ before, after }, { interface_name, tunnel_id, folders: facts.helper, warnings })
    return created(await changeAnswer(context, record, { plan, checks: outcome.checks, warnings }))
  })

interface Made extends Done<TunnelRecord> {
  readonly before: TunnelState | null
}

/**
 * Under most new names there is nothing, so that is sent first. Root refuses where it finds something; only then that
 * is looked up.
 */
async function make(context: CommandContext, draft: Draft, reviving: number | undefined): Promise<Made> {
  const { interface_name } = draft.after
  const isTaken = draft.facts.interfaces.some(({ name }) => name === interface_name)
  const over = (before: TunnelState | null): Promise<Made> => makeOver(context, draft, before, reviving)
  if (isTaken) return over(await stateBefore(context, draft.after))
  try {
    return await over(null)
  } catch (refused) {
    if (!isNotEmpty(refused)) throw refused
    const before = await stateBefore(context, draft.after)
    if (before === null) throw refused
    return over(before)
  }
}

/** Whether the name is in use. A leftover unit file of ours is another state than nothing; a foreign one is refused. */
const isNotEmpty = (refused: unknown): boolean =>
  refused instanceof Refusal && ['stale_state', 'foreign_unit_file'].includes(String(refused.details['reason']))

async function makeOver(
  context: CommandContext,
  draft: Draft,
  before: TunnelState | null,
  reviving: number | undefined,
): Promise<Made> {
  const changes = [{ before, after: draft.after }]
  return { before, ...(await create(context, tunnelResource(context, reviving), { draft: draft.record, changes })) }
}

/** Root would refuse it too; found out first, the refusal can name the field. */
export async function refuseUnsupported(
  { request }: Pick<ReadContext, 'request'>,
  { after, facts }: Pick<Draft, 'after' | 'facts'>,
): Promise<void> {
  const kind = after.link?.config.kind
  const kinds = facts.link_kinds ?? (await request('host.probe', { parts: ['link_kinds'] })).link_kinds
  const found = kinds?.find((one) => one.kind === kind)
  if (found?.supported) return
  const detail = found?.detail ?? ''
  throw new Refusal(
    'SERVICE_UNAVAILABLE',
    message('tunnel.kind_unsupported', {
      kind: String(kind),
      remedy: kernelRemedy([{ kind: String(kind), detail }]),
      detail: detail || message('tunnel.no_reason'),
    }),
    { field: 'tunnel_type_id', details: { kind, detail } },
  )
}
