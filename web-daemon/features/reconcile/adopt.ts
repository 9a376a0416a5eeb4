// Takes a tunnel of the host under management as it is: the record is made from what the kernel holds, and the kernel is not touched (interface.md, POST /reconcile/adopt; decisions.md, S13).
import type { AdoptAnswer, AdoptBody } from '@panel/shared/api/reconcile.ts'
import type { PlanView } from '@panel/shared/api/tunnels/answers.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import { carryOut, refusalFor } from '../../change/carry-out.ts'
import type { CommandContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { allPools } from '../pools/store.ts'
import { inSettings } from '../settings/change.ts'
import { livingTunnel, look } from '../tunnels/look.ts'
import { planView } from '../tunnels/plan-view.ts'
import { stateOf, type NewTunnel, type TunnelRecord } from '../tunnels/record.ts'
import { insertTunnel, neighbours } from '../tunnels/store.ts'
import { observe, tunnelView } from '../tunnels/view.ts'
import { checkPool, linkIn, persistenceFor, refuseName, warningsOf } from './adopt-checks.ts'
import { recordOfAdopted } from './adopt-record.ts'
import { setIgnored } from './ignore.ts'
import { pathsOf } from './kept.ts'
import { legacyNameOf } from './report.ts'

export function adoptTunnel(context: CommandContext, { body }: Incoming<AdoptBody>): Promise<Answer<AdoptAnswer>> {
  return context.inTurn(async () => {
    const { interface_name } = body
    const others = await neighbours(context.db)
    refuseName(interface_name, others)
    const pools = await allPools(context.db)
    checkPool(body, pools)
    const { found, helper } = await look(context.ask, interface_name)
    const link = linkIn(found)
    const persistence_type_id = persistenceFor(body, found, helper)
    const legacy = legacyNameOf(interface_name, found.state, found.foreign_files, helper)
    const record = recordOfAdopted(
      {
        body,
        link,
        saved: found.state?.saved ?? null,
        persistence_type_id,
        legacy,
        neighbours: others,
        pools,
        settings: context.settings,
      },
      context.now().toISOString(),
    )
    const change = { before: found.state, after: stateOf(record) }
    demandKernelUntouched(interface_name, change)
    const stored = await adopt(context, record, change)
    const planOf = (of: Change<TunnelState>): PlanView =>
      planView(of, { interface_name, tunnel_id: stored.tunnel_id, folders: helper, warnings: [] })
    const plan = planOf(change)
    const answer: AdoptAnswer = {
      tunnel: tunnelView(stored, (await observe(context.ask, [interface_name]))(interface_name)),
      interface_bounced: false,
      legacy,
      imported: { is_enabled: link.is_up, ...link.config },
      units_taken_over: pathsOf(helper, interface_name, found.state?.saved ?? null).filter((path) =>
        pathsOf(helper, interface_name, change.after.saved).includes(path),
      ),
      backups: planOf(invert(change)).files.map(({ path, content }) => ({ path, content })),
      plan,
      warnings: warningsOf(record, found, others, plan),
    }
    return created(answer)
  })
}

/** What is adopted is what was found; were there a step for the link, the record would not be a true one. */
function demandKernelUntouched(interface_name: string, change: Change<TunnelState>): void {
  const touching = planChange(change).steps.filter(
    ({ kind }) => kind.startsWith('link_') || kind.startsWith('address_'),
  )
  if (touching.length > 0)
    throw new Error(`To adopt ${interface_name} would take ${touching.map(({ kind }) => kind).join(', ')}`)
}

/** Files are put right first, where they say something else than the link; without a record to show for it that is taken back. */
async function adopt(context: CommandContext, record: NewTunnel, change: Change<TunnelState>): Promise<TunnelRecord> {
  const { interface_name } = record
  const concernsFiles = planChange(change).steps.length > 0
  if (concernsFiles) {
    const refusal = refusalFor(await carryOut(context, change), interface_name)
    if (refusal) throw refusal
  }
  const tunnel_id = await store(context, record).catch(async (failure: unknown) => {
    if (!concernsFiles) throw failure
    throw refusalFor(await carryOut(context, invert(change)), interface_name) ?? failure
  })
  context.note.target('tunnel', tunnel_id)
  context.note.operation(`Adopted ${interface_name}`)
  context.publish('tunnel.created', { tunnel_id, interface_name })
  return livingTunnel(context.db, tunnel_id)
}

const store = (context: CommandContext, record: NewTunnel): Promise<number> =>
  inSettings(context, async (transaction) => {
    await setIgnored(transaction, record.interface_name, false, context.now().toISOString())
    return insertTunnel(transaction, record)
  })
