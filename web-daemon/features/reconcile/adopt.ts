// Takes a tunnel of the host under management as it is: the record is made from what the kernel holds, and the kernel
// is not touched (reference.md, POST /reconcile/adopt; decisions.md, S13).
import type { AdoptAnswer, AdoptBody } from '@panel/shared/api/reconcile.ts'
import type { PlanView, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { HelperFacts } from '@panel/shared/host/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { invert, type Change } from '@panel/shared/change/change.ts'
import { planChange } from '@panel/shared/tunnel/plans.ts'
import { adopt } from '../../change/engine.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { allPools } from '../pools/store.ts'
import { look } from '../tunnels/target.ts'
import { planView } from '../tunnels/plan-view.ts'
import { foreseenOf } from '../tunnels/foreseen.ts'
import { release } from '../tunnels/ownership.ts'
import { stateOf, type NewTunnel, type TunnelRecord } from '../tunnels/record.ts'
import { tunnelResource } from '../tunnels/resource.ts'
import { existingTunnels, markAdopted, type ExistingTunnel } from '../tunnels/store.ts'
import { observe, tunnelView } from '../tunnels/view.ts'
import { checkPool, linkIn, persistenceFor, refuseName, warningsOf } from './adopt-checks.ts'
import { recordOfAdopted } from './adopt-record.ts'
import { setIgnored } from './ignore.ts'
import { pathsOf } from './persistence.ts'
import { legacyNameOf } from './report.ts'

export function adoptTunnel(context: CommandContext, { body }: Incoming<AdoptBody>): Promise<Answer<AdoptAnswer>> {
  return context.inTurn(async () => {
    const draft = await draftAdoption(context, body)
    demandKernelUntouched(body.interface_name, draft.change)
    const stored = await takeIn(context, draft)
    const { interface_name } = stored
    const tunnel = tunnelView(stored, (await observe(context.request, [interface_name]))(interface_name))
    return created(answerFor(draft, tunnel))
  })
}

export async function foreseeAdoption(context: ReadContext, { body }: Incoming<AdoptBody>): Promise<Foreseen> {
  const { change } = await draftAdoption(context, body)
  demandKernelUntouched(body.interface_name, change)
  return foreseenOf(changesIn(change), [])
}

/** Files of ours alone. */
const changesIn = (change: Change<TunnelState>): Change<TunnelState>[] =>
  planChange(change).steps.length > 0 ? [change] : []

interface Adoption {
  readonly record: NewTunnel
  readonly change: Change<TunnelState>
  readonly link: ReturnType<typeof linkIn>
  readonly legacy: AdoptAnswer['legacy']
  readonly found: TunnelFound
  readonly helper: HelperFacts
  readonly others: readonly ExistingTunnel[]
}

/** Reads alone; throws where the tunnel cannot be adopted. */
async function draftAdoption(context: ReadContext, body: AdoptBody): Promise<Adoption> {
  const { interface_name } = body
  const others = await existingTunnels(context.db)
  refuseName(interface_name, others)
  const pools = await allPools(context.db)
  checkPool(body, pools)
  const { found, helper } = await look(context.request, interface_name)
  const link = linkIn(found)
  const persistence_type_id = persistenceFor(body, found, helper)
  const legacy = legacyNameOf(interface_name, found.state, found.foreign_files, helper)
  const saved = found.state?.saved ?? null
  const is_answered_through = found.state?.answers !== undefined
  const { settings } = context
  const record = recordOfAdopted(
    { body, link, saved, is_answered_through, persistence_type_id, legacy, neighbours: others, pools, settings },
    context.now().toISOString(),
  )
  return { record, change: { before: found.state, after: stateOf(record) }, link, legacy, found, helper, others }
}

function answerFor({ record, change, link, legacy, found, helper, others }: Adoption, tunnel: TunnelView): AdoptAnswer {
  const { interface_name, tunnel_id } = tunnel
  const planOf = (of: Change<TunnelState>): PlanView =>
    planView(of, { interface_name, tunnel_id, folders: helper, warnings: [] })
  const plan = planOf(change)
  const kept = new Set(pathsOf(helper, interface_name, change.after?.saved ?? null))
  return {
    tunnel,
    interface_bounced: false,
    legacy,
    imported: { is_enabled: link.is_up, ...link.config },
    units_taken_over: pathsOf(helper, interface_name, found.state?.saved ?? null).filter((path) => kept.has(path)),
    backups: planOf(invert(change)).files.map(({ path, content }) => ({ path, content })),
    plan,
    warnings: warningsOf(record, found, others, plan),
  }
}

/** What is adopted is what was found; were there a step for the link, the record would not be a true one. */
function demandKernelUntouched(interface_name: string, change: Change<TunnelState>): void {
  const touching = planChange(change).steps.filter(
    ({ kind }) => kind.startsWith('link_') || kind.startsWith('address_'),
  )
  if (touching.length > 0)
    throw new Error(`To adopt ${interface_name} would take ${touching.map(({ kind }) => kind).join(', ')}`)
}

/**
 * Adopts what was found. Root gets the request first: it changes no foreign link or file. Files of ours that differ
 * from the link are corrected. The name is no longer one of the ignored.
 */
async function takeIn(
  context: CommandContext,
  { record: draft, change, link, found }: Adoption,
): Promise<TunnelRecord> {
  const { interface_name } = draft
  await context.request('tunnel.adopt', { interface_name, link })
  try {
    const { record } = await adopt(context, tunnelResource(context), {
      draft,
      changes: changesIn(change),
      alongside: async (db, tunnel_id) => {
        await markAdopted(db, tunnel_id)
        await setIgnored(db, interface_name, false, context.now().toISOString())
      },
    })
    await context.settings.reload()
    context.note.operation(`Adopted ${interface_name}`)
    return record
  } catch (failure) {
    if (!found.is_ours) await release(context, interface_name)
    throw failure
  }
}
