// A network as the panel stores it: what the operator wants, and whether it was applied. What the host holds is never
// mixed in.
import type { NetworkRecord } from '@panel/shared/api/networks/fields.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { canonicalNetwork } from '@panel/shared/network/canonical.ts'
import type { NetworkState } from '@panel/shared/network/model.ts'
import { judgePaths, type Judged, type Out, type OutPaths } from './carrying.ts'

export type { NetworkRecord }
export type PathRecord = NetworkRecord['paths'][number]
/** Before it has an id. */
export type NewNetwork = Omit<NetworkRecord, 'network_id'>

/** A tunnel as far as it is a path. */
export interface PathTunnel {
  readonly tunnel_id: number
  readonly interface_name: string
  readonly display_name: string
  readonly is_enabled: boolean
  readonly isDeleted: boolean
}

/** The keys are their ids. */
export type PathTunnels = ReadonlyMap<number, PathTunnel>

/** Those that are out, as far as the store knows. */
export function outPaths(paths: readonly PathRecord[], tunnels: PathTunnels): OutPaths {
  return new Map(
    paths.flatMap((path) => {
      const out = whyOut(path, tunnels.get(path.tunnel_id))
      return out ? [[path.tunnel_id, out] as const] : []
    }),
  )
}

/** A tunnel that cannot carry is so whatever was done by hand. */
function whyOut({ tunnel_id, taken_out_date, failed_date }: PathRecord, tunnel: PathTunnel | undefined): Out | null {
  const unable = { chance: 'none', since: null } as const
  const named = tunnelNamed(tunnel ?? { interface_name: `${tunnel_id}` })
  if (!tunnel || tunnel.isDeleted) return { ...unable, why: message('network.path_gone', { tunnel: named }) }
  if (!tunnel.is_enabled) return { ...unable, why: message('network.path_disabled', { tunnel: named }) }
  if (failed_date !== null)
    return { why: message('network.path_failed', { tunnel: named }), chance: 'poor', since: failed_date }
  return taken_out_date === null
    ? null
    : { why: message('network.path_taken_out'), chance: 'good', since: taken_out_date }
}

export const judged = ({ paths }: Pick<NewNetwork, 'paths'>, tunnels: PathTunnels): Judged<PathRecord>[] =>
  judgePaths(paths, outPaths(paths, tunnels))

/** The kernel takes no route over links that are down alone. */
export const canCarry = (record: Pick<NewNetwork, 'paths'>, tunnels: PathTunnels): boolean =>
  judged(record, tunnels).some(({ state, out }) => state === 'carries' && out?.chance !== 'none')

/** Since when the monitor has found every path down that could carry; null while one is well, or out by hand. */
export function failedSince(record: Pick<NewNetwork, 'paths' | 'is_enabled'>, tunnels: PathTunnels): string | null {
  const failed = judged(record, tunnels).filter(({ out }) => out?.chance === 'poor')
  if (!record.is_enabled || failed.every(({ state }) => state !== 'carries')) return null
  const [last] = failed
    .flatMap(({ out }) => out?.since ?? [])
    .sort()
    .reverse()
  return last ?? null
}

/** What root should keep for a record, in canonical form; null where it is disabled. */
export function stateOf(record: NewNetwork, tunnels: PathTunnels): NetworkState | null {
  if (!record.is_enabled) return null
  const { destination, metric, source_address, own_addresses } = record
  return canonicalNetwork({
    destination,
    metric,
    source: source_address,
    paths: judged(record, tunnels).map(({ path, carried_weight }) => ({
      interface_name: tunnels.get(path.tunnel_id)?.interface_name ?? '',
      weight: carried_weight,
    })),
    own_addresses: [...own_addresses],
    lacks: [],
  })
}
