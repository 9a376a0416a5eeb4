// Makes a tunnel: drafted, carried out, read back, and only then stored (interface.md, POST /tunnels; decisions.md, S1).
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnel-answers.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels.ts'
import { invert } from '@panel/shared/plan/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { carryOut, refusalFor } from '../change/carry-out.ts'
import { endedAs } from '../change/ended.ts'
import type { CommandContext } from '../context.ts'
import { created, type Answer, type Incoming } from '../http/endpoint.ts'
import { Refusal } from '../http/refusal.ts'
import { changeAnswer } from './answer.ts'
import { draftTunnel, type Draft } from './draft/draft.ts'
import { planView } from './plan-view.ts'
import { named, type TunnelRecord } from './record.ts'
import { findTunnel, insertTunnel } from './store.ts'

export function createTunnel(context: CommandContext, incoming: Incoming<CreateTunnelBody>): Promise<Answer> {
  return context.inTurn(async () => {
    const draft = await draftTunnel(context, incoming)
    await refuseUnsupported(context, draft)
    const outcome = await carryOut(context, changeOf(draft))
    // What was put back leaves no record; what is stuck is stored and told.
    if (outcome.outcome === 'restored') throw refusalFor(outcome, draft.record.interface_name)
    const record = await store(context, draft, outcome)
    context.note.target('tunnel', record.tunnel_id)
    context.publish('tunnel.created', named(record))
    const refusal = refusalFor(outcome, record.interface_name, { tunnel_id: record.tunnel_id })
    if (refusal) throw refusal
    return created(await answer(context, draft, record, outcome))
  })
}

const changeOf = ({ before, after }: Draft) => ({ before, after })

/** Root would refuse it too; asked first, the refusal can name the field. */
export async function refuseUnsupported({ ask }: CommandContext, { after }: Pick<Draft, 'after'>): Promise<void> {
  const kind = after.link?.config.kind
  const { link_kinds } = await ask('host.probe', { parts: ['link_kinds'] })
  const can = link_kinds?.find((known) => known.kind === kind)
  if (can?.supported) return
  const detail = can?.detail ?? ''
  throw new Refusal('SERVICE_UNAVAILABLE', `The kernel of this server cannot make ${kind} tunnels: ${detail || 'it gives no reason'}.`, { field: 'tunnel_type_id', details: { kind, detail } })
}

/** A tunnel that cannot be stored would be nobody's, so it is taken off the host again. */
async function store(context: CommandContext, draft: Draft, outcome: Outcome): Promise<TunnelRecord> {
  try {
    const tunnel_id = await context.db.transaction().execute((transaction) => insertTunnel(transaction, { ...draft.record, ...endedAs(outcome, context.now().toISOString()) }))
    const found = await findTunnel(context.db, tunnel_id)
    if (!found) throw new Error(`Tunnel ${tunnel_id} was stored and is not there`)
    return found.record
  } catch (failure) {
    if (outcome.outcome !== 'applied') throw failure
    const undone = await carryOut(context, invert(changeOf(draft)))
    throw refusalFor(undone, draft.record.interface_name) ?? failure
  }
}

async function answer(context: CommandContext, draft: Draft, record: TunnelRecord, outcome: Outcome): Promise<CreateTunnelAnswer> {
  const { interface_name, tunnel_id } = record
  const { warnings, facts } = draft
  const plan = planView(changeOf(draft), { interface_name, tunnel_id, folders: facts.helper, warnings })
  return changeAnswer(context, record, { plan, checks: outcome.checks, warnings })
}
