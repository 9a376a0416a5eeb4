// The networks that have a tunnel as a path, for what is done to that tunnel (decisions.md, T36).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { DependentNetwork } from '@panel/shared/api/tunnels/dependent-networks.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import { message } from '@panel/shared/messages/message.ts'
import { canonicalNetworks, networksOrNull, whole } from '@panel/shared/network/canonical.ts'
import type { NetworkStates } from '@panel/shared/network/model.ts'
import { converge } from '../../change/engine.ts'
import type { CommandContext, ReadContext, ReadDb } from '../../platform/context.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import type { PathUse } from '../tunnels/path-use.ts'
import { changesIn, foreseenOf, planNetworkChange, probeNetworks } from './change.ts'
import { canCarry, stateOf, type NetworkRecord, type PathTunnels } from './record.ts'
import { networkResource } from './resource.ts'
import { replaceNetwork } from './store-write.ts'
import { networksOver, pathTunnels } from './store.ts'

export const pathUse: PathUse = { networksOver: dependentNetworks, foreseeLeaving, leave, foreseeFollowing, follow }

export async function dependentNetworks(db: ReadDb, tunnel_id: number): Promise<DependentNetwork[]> {
  return (await networksOver(db, tunnel_id)).map(({ network_id, network_title, destination, is_enabled, paths }) => ({
    network_id,
    network_title,
    destination,
    is_enabled,
    is_only_path: paths.length === 1,
  }))
}

/** The networks without the tunnel, and the change that makes them so. */
async function planLeaving({ db, request }: ReadContext, tunnel_id: number) {
  const rows = await networksOver(db, tunnel_id)
  const wanted = rows.map((row) => ({ ...row, paths: row.paths.filter((path) => path.tunnel_id !== tunnel_id) }))
  const tunnels = await pathTunnels(db, rows)
  const states = wanted.flatMap((row) => stateOf(row, tunnels) ?? [])
  const destinations = rows.map(({ destination }) => destination)
  return { rows, wanted, change: await planNetworkChange(request, { destinations, states }) }
}

async function foreseeLeaving(context: ReadContext, tunnel_id: number) {
  return foreseenOf((await planLeaving(context, tunnel_id)).change, []).changes.slice()
}

async function leave(context: CommandContext, tunnel_id: number): Promise<void> {
  const { rows, wanted, change } = await planLeaving(context, tunnel_id)
  if (rows.length === 0) return
  await converge(context, networkResource(context), {
    rows,
    changes: changesIn(change),
    commit: async (db) => {
      for (const row of wanted) await replaceNetwork(db, row.network_id, row)
    },
  })
}

/** What fails here keeps no tunnel from being brought up or down, so it is a warning, and the networks say why. */
async function follow(context: CommandContext, tunnel_id: number, isUp: boolean): Promise<Warning[]> {
  try {
    const { rows, change } = await planFollowing(context, tunnel_id, isUp)
    if (rows.length > 0) await converge(context, networkResource(context), { rows, changes: changesIn(change) })
    return []
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return [{ code: 'NETWORKS_NOT_MOVED', ...message('network.not_moved', { why: asMessage(thrown) }), field: '' }]
  }
}

async function foreseeFollowing(context: ReadContext, tunnel_id: number, isUp: boolean) {
  return foreseenOf((await planFollowing(context, tunnel_id, isUp)).change, []).changes.slice()
}

/**
 * Those alone of which root keeps other paths than it shall: correcting other drift is what PATCH is for. If every tunnel
 * of a network is down, its paths stay as they are.
 */
async function planFollowing(
  { db, request }: ReadContext,
  tunnel_id: number,
  isUp: boolean,
): Promise<{ readonly rows: NetworkRecord[]; readonly change: Change<NetworkStates> }> {
  const all = (await networksOver(db, tunnel_id)).filter(({ is_enabled }) => is_enabled)
  const tunnels = withTunnel(await pathTunnels(db, all), tunnel_id, isUp)
  const found = await probeNetworks(
    request,
    all.map(({ destination }) => destination),
  )
  const kept = new Map(found.map(({ state }) => [state.destination, state]))
  const rows = all.filter((row) => {
    const state = kept.get(row.destination)
    return canCarry(row, tunnels) && state !== undefined && !sameState(whole(state), stateOf(row, tunnels))
  })
  const before = rows.flatMap(({ destination }) => kept.get(destination) ?? [])
  const after = rows.flatMap((row) => stateOf(row, tunnels) ?? [])
  return {
    rows,
    change: {
      before: canonicalNetworks(networksOrNull(before)),
      after: canonicalNetworks(networksOrNull(after)),
    },
  }
}

const withTunnel = (tunnels: PathTunnels, tunnel_id: number, is_enabled: boolean): PathTunnels =>
  new Map([...tunnels].map(([id, tunnel]) => [id, id === tunnel_id ? { ...tunnel, is_enabled } : tunnel]))
