// Takes a tunnel off the host and out of the store, and reports what was there; repeated, it says that the tunnel is
// gone (decisions.md, T2, R22, R23).
import type { DependentNetwork } from '@panel/shared/api/tunnels/dependent-networks.ts'
import type { DependentRoute } from '@panel/shared/api/tunnels/dependent-routes.ts'
import type { DeleteTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { DeleteTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { FILE_KINDS, type FileKind, type TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Change } from '@panel/shared/change/change.ts'
import { planTunnel } from '@panel/shared/tunnel/plan.ts'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { message } from '@panel/shared/messages/message.ts'
import { remove } from '../../change/engine.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { dependantWarnings, type DependentRoutes } from './dependants.ts'
import { probeOne } from './draft/before.ts'
import { idIn, noSuchTunnel } from './get.ts'
import { look } from './target.ts'
import { foreseenOf } from './foreseen.ts'
import { guardOwnAccess } from './own-access.ts'
import { whyNotDeleted } from './ownership.ts'
import { refuseToLoseNetworks, type PathUse } from './path-use.ts'
import { pathOf, planView, type Folders } from './plan-view.ts'
import { stateOf, type TunnelRecord } from './record.ts'
import { tunnelResource } from './resource.ts'
import { existingTunnels, findTunnel } from './store.ts'

export const deleteTunnel =
  (dependants: DependentRoutes, paths: PathUse) =>
  (
    context: CommandContext,
    { params, body, client_ip, server_ip }: Incoming<DeleteTunnelBody>,
  ): Promise<Answer<DeleteTunnelAnswer>> =>
    context.inTurn(async () => {
      const tunnel_id = idIn(params)
      const stored = await findTunnel(context.db, tunnel_id)
      if (!stored) throw noSuchTunnel(tunnel_id)
      context.note.target('tunnel', tunnel_id)
      if (stored.isDeleted) {
        await refuseUnmanaged(context, stored.record)
        return ok(alreadyDeleted(stored.record))
      }
      const { found, folders, change } = await planRemoval(context, stored.record)
      const networks = await paths.networksOver(context.db, tunnel_id)
      refuseToLoseNetworks(stored.record, networks, body.force === true)
      const accepts = body.i_understand_i_may_lose_access === true
      await guardOwnAccess(context, stored.record, change, { client_ip, server_ip, accepts })
      await paths.leave(context, tunnel_id)
      await remove(context, tunnelResource(context), { rows: [stored.record], changes: changesIn(change) })
      const routes = await dependants(context, tunnel_id)
      return ok(report(stored.record, change, { found, folders, routes, networks }))
    })

/** Plans a removal by reading alone. */
async function planRemoval({ request }: ReadContext, record: TunnelRecord) {
  const { found, helper: folders } = await look(request, record.interface_name)
  refuseReplaced(found, record)
  return { found, folders, change: { before: found.state, after: null } }
}

export const foreseeDeletion =
  (paths: PathUse) =>
  async (context: ReadContext, { params, body }: Incoming<DeleteTunnelBody>): Promise<Foreseen> => {
    const tunnel_id = idIn(params)
    const stored = await findTunnel(context.db, tunnel_id)
    if (!stored) throw noSuchTunnel(tunnel_id)
    if (stored.isDeleted) {
      await refuseUnmanaged(context, stored.record)
      return NOTHING_FORESEEN
    }
    const { change } = await planRemoval(context, stored.record)
    refuseToLoseNetworks(stored.record, await paths.networksOver(context.db, tunnel_id), body.force === true)
    const left = await paths.foreseeLeaving(context, tunnel_id)
    const removal = foreseenOf(changesIn(change), [])
    return { ...removal, changes: [...left, ...removal.changes] }
  }

/** The changes for root; none if nothing of the tunnel is left. */
const changesIn = (change: Change<TunnelState>): Change<TunnelState>[] =>
  planTunnel(change.before, change.after).steps.length === 0 ? [] : [change]

interface Removal {
  readonly found: TunnelFound
  readonly folders: Folders
  readonly routes: DependentRoute[]
  readonly networks: DependentNetwork[]
}

function report(
  record: TunnelRecord,
  change: Change<TunnelState>,
  { found, folders, routes, networks }: Removal,
): DeleteTunnelAnswer {
  const { tunnel_id, interface_name } = record
  const warnings = dependantWarnings(interface_name, routes)
  const wanted = stateOf(record).saved
  const isForeign = (kind: FileKind): boolean => found.foreign_files.includes(savedFileName(kind, interface_name))
  const isThere = (kind: FileKind): boolean => (found.state?.saved?.[kind]?.config ?? null) !== null
  const paths = (isOne: (kind: FileKind) => boolean): string[] =>
    FILE_KINDS.filter(isOne).map((kind) => pathOf(folders, kind, interface_name))
  return {
    tunnel_id,
    interface: interface_name,
    interface_found: found.state !== null && found.state.link !== null,
    already_deleted: false,
    files_removed: paths(isThere),
    files_absent: paths((kind) => (wanted?.[kind] ?? null) !== null && !isThere(kind) && !isForeign(kind)),
    files_kept: paths(isForeign),
    plan: planView(change, { interface_name, tunnel_id, folders, warnings }),
    warnings,
    dependent_routes: routes,
    dependent_networks: networks,
  }
}

function refuseReplaced(found: TunnelFound, record: TunnelRecord): void {
  const reason = whyNotDeleted(found, record)
  const { interface_name, tunnel_id } = record
  if (reason !== null) throw new Refusal('PROTECTED_INTERFACE', reason, { details: { tunnel_id, interface_name } })
}

/** A tunnel that was forgotten is gone from the store, and may be on the host still. */
async function refuseUnmanaged(
  { db, request }: ReadContext,
  { tunnel_id, interface_name }: TunnelRecord,
): Promise<void> {
  if ((await existingTunnels(db)).some((one) => one.interface_name === interface_name)) return
  const { state } = await probeOne(request, interface_name)
  if (state === null) return
  throw new Refusal(
    'INTERFACE_NOT_MANAGED',
    message('tunnel.unmanaged', { name: interface_name, what: state.link ? 'link' : 'files' }),
    { details: { tunnel_id, interface_name } },
  )
}

/** An empty plan names no file. */
const NOWHERE: Folders = { unit_dir: '', networkd_dir: '' }

function alreadyDeleted({ tunnel_id, interface_name }: TunnelRecord): DeleteTunnelAnswer {
  return {
    tunnel_id,
    interface: interface_name,
    interface_found: false,
    already_deleted: true,
    files_removed: [],
    files_absent: [],
    files_kept: [],
    plan: planView({ before: null, after: null }, { interface_name, tunnel_id, folders: NOWHERE, warnings: [] }),
    warnings: [],
    dependent_routes: [],
    dependent_networks: [],
  }
}
