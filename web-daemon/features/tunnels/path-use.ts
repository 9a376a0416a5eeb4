// What networks behind tunnels say of a tunnel that is a path of theirs. The networks know the tunnels, and so the
// tunnels need not know them.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { DependentNetwork } from '@panel/shared/api/tunnels/dependent-networks.ts'
import type { Foreseen, HostChange } from '@panel/shared/impact/foreseen.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { networkNamed, tunnelNamed } from '@panel/shared/messages/named.ts'
import type { CommandContext, ReadContext, ReadDb } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { TunnelRecord } from './record.ts'

/** Call the functions that change something inside `inTurn`. */
export interface PathUse {
  readonly networksOver: (db: ReadDb, tunnel_id: number) => Promise<DependentNetwork[]>
  /** What takes the tunnel off the paths of its networks, by reading alone. */
  readonly foreseeLeaving: (context: ReadContext, tunnel_id: number) => Promise<HostChange[]>
  readonly leave: (context: CommandContext, tunnel_id: number) => Promise<void>
  /** What `follow` would do, by reading alone. */
  readonly foreseeFollowing: (context: ReadContext, tunnel_id: number, isUp: boolean) => Promise<HostChange[]>
  /** Has those paths carry that shall while the tunnel is up, or down. Warns where that failed. */
  readonly follow: (context: CommandContext, tunnel_id: number, isUp: boolean) => Promise<Warning[]>
}

export type Paths = Pick<PathUse, 'networksOver' | 'follow' | 'foreseeFollowing'>

/** For a change that neither renames a tunnel nor brings it up or down. */
export const NO_PATHS: Paths = {
  networksOver: async () => [],
  follow: async () => [],
  foreseeFollowing: async () => [],
}

interface UpAndDown {
  readonly tunnel_id: number
  readonly was: boolean
  readonly shall: boolean
}

/** Networks leave a path before it is taken down, and come back once it is up, so that nothing is lost in between. */
export async function withPaths<T>(
  { follow }: Pick<PathUse, 'follow'>,
  context: CommandContext,
  { tunnel_id, was, shall }: UpAndDown,
  change: () => Promise<T>,
): Promise<{ readonly result: T; readonly unmoved: Warning[] }> {
  const isTakenDown = was && !shall
  const left = isTakenDown ? await follow(context, tunnel_id, false) : []
  try {
    const result = await change()
    const back = !was && shall ? await follow(context, tunnel_id, true) : []
    return { result, unmoved: [...left, ...back] }
  } catch (failure) {
    if (isTakenDown) await follow(context, tunnel_id, true)
    throw failure
  }
}

/** What `withPaths` would do. */
export async function foreseenWithPaths(
  { foreseeFollowing }: Pick<PathUse, 'foreseeFollowing'>,
  context: ReadContext,
  { tunnel_id, was, shall }: UpAndDown,
  foreseen: Foreseen,
): Promise<Foreseen> {
  if (was === shall) return foreseen
  const moved = await foreseeFollowing(context, tunnel_id, shall)
  return { ...foreseen, changes: shall ? [...foreseen.changes, ...moved] : [...moved, ...foreseen.changes] }
}

/** 409, unless it is forced and every network has another path (decisions.md, T36). */
export function refuseToLoseNetworks(
  tunnel: TunnelRecord,
  networks: readonly DependentNetwork[],
  isForced: boolean,
): void {
  const stranded = networks.filter(({ is_only_path }) => is_only_path)
  if (stranded.length > 0) throw isPath('network.tunnel_is_only_path', tunnel, stranded)
  if (networks.length > 0 && !isForced) throw isPath('network.tunnel_is_path', tunnel, networks, 'force')
}

/** Root knows the paths of a network by their interfaces. */
export async function refuseNewName(
  { networksOver }: Pick<PathUse, 'networksOver'>,
  db: ReadDb,
  stored: TunnelRecord,
  interface_name: string,
): Promise<void> {
  if (interface_name === stored.interface_name) return
  const networks = await networksOver(db, stored.tunnel_id)
  if (networks.length > 0) throw isPath('network.tunnel_renamed', stored, networks, 'interface_name')
}

export function isPath(
  why: 'network.tunnel_is_path' | 'network.tunnel_is_only_path' | 'network.tunnel_renamed' | 'network.tunnel_forgotten',
  tunnel: TunnelRecord,
  networks: readonly DependentNetwork[],
  field = '',
): Refusal {
  const named: Message[] = networks.map(networkNamed)
  return new Refusal('TUNNEL_IS_PATH', message(why, { tunnel: tunnelNamed(tunnel), networks: named }), {
    field,
    details: { tunnel_id: tunnel.tunnel_id, networks: [...networks] },
  })
}
