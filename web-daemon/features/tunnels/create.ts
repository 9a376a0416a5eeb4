// Makes a tunnel: drafted, stored as pending, carried out, and read back (interface.md, POST /tunnels; decisions.md, S1).
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { invert } from '@panel/shared/change/change.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import { bringIn, type Birth } from '../../change/bring-in.ts'
import { carryOut, refusalFor } from '../../change/carry-out.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { changeAnswer } from './answer.ts'
import { draftTunnel, type Draft, type Manner } from './draft/draft.ts'
import { livingTunnel } from './look.ts'
import { planView } from './plan-view.ts'
import { named, type TunnelRecord } from './record.ts'
import { insertTunnel, markApplyStatus, markDeleted } from './store.ts'

export function createTunnel(
  context: CommandContext,
  incoming: Incoming<CreateTunnelBody>,
  manner: Manner = {},
): Promise<Answer<CreateTunnelAnswer>> {
  return context.inTurn(async () => {
    const draft = await draftTunnel(context, incoming, manner)
    await refuseUnsupported(context, draft)
    const { record, carried, refusal } = await bringIn(birthOf(context, draft))
    context.note.target('tunnel', record.tunnel_id)
    context.publish('tunnel.created', named(record))
    if (refusal) throw refusal
    return created(await answer(context, draft, record, carried.outcome))
  })
}

const changeOf = ({ before, after }: Draft) => ({ before, after })

/** Root would refuse it too; asked first, the refusal can name the field. */
export async function refuseUnsupported(
  { ask }: Pick<ReadContext, 'ask'>,
  { after }: Pick<Draft, 'after'>,
): Promise<void> {
  const kind = after.link?.config.kind
  const { link_kinds } = await ask('host.probe', { parts: ['link_kinds'] })
  const can = link_kinds?.find((known) => known.kind === kind)
  if (can?.supported) return
  const detail = can?.detail ?? ''
  throw new Refusal(
    'SERVICE_UNAVAILABLE',
    `The kernel of this server cannot make ${kind} tunnels: ${detail || 'it gives no reason'}.`,
    { field: 'tunnel_type_id', details: { kind, detail } },
  )
}

function birthOf(context: CommandContext, draft: Draft): Birth<{ readonly outcome: Outcome }, TunnelRecord> {
  const { db, now } = context
  const change = changeOf(draft)
  let tunnel_id = 0
  return {
    now,
    insert: async () => {
      tunnel_id = await db.transaction().execute((transaction) => insertTunnel(transaction, draft.record))
    },
    carryOut: async () => ({ outcome: await carryOut(context, change) }),
    refusalOf: (outcome) =>
      refusalFor(outcome, draft.record.interface_name, outcome.outcome === 'stuck' ? { tunnel_id } : {}),
    end: async (mark) => {
      await markApplyStatus(db, tunnel_id, mark, now().toISOString())
      return livingTunnel(db, tunnel_id)
    },
    takeBack: async () => ({ outcome: await carryOut(context, invert(change)) }),
    // The id was told to nobody.
    remove: () => db.transaction().execute((transaction) => markDeleted(transaction, tunnel_id, now().toISOString())),
  }
}

async function answer(
  context: CommandContext,
  draft: Draft,
  record: TunnelRecord,
  outcome: Outcome,
): Promise<CreateTunnelAnswer> {
  const { interface_name, tunnel_id } = record
  const { warnings, facts } = draft
  const plan = planView(changeOf(draft), { interface_name, tunnel_id, folders: facts.helper, warnings })
  return changeAnswer(context, record, { plan, checks: outcome.checks, warnings })
}
