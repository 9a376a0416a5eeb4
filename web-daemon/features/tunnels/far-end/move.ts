// Leads a tunnel to what the name of its far end resolves to now, or what the route there has: an automatic change in
// place (decisions.md, T48, T49).
import { sameState } from '@panel/shared/change/change.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { save, update } from '../../../change/engine.ts'
import type { CommandContext } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { draftUpdate } from '../draft/update.ts'
import type { TunnelRecord } from '../record.ts'
import { tunnelResource } from '../resource.ts'
import { findTunnel } from '../store.ts'

/** What a name leads to; null: the name stays where it is, and the route is looked up. */
export type Lead = { readonly hostname: string; readonly addresses: readonly string[] } | null

type Ends = Pick<TunnelRecord, 'local_endpoint' | 'remote_endpoint'>

/** Call it inside `inTurn`. `onBegin` is called once nothing but root can refuse the move. */
export async function moveEnds(
  context: CommandContext,
  { tunnel_id, lead }: { readonly tunnel_id: number; readonly lead: Lead },
  onBegin: () => void,
): Promise<void> {
  const found = await findTunnel(context.db, tunnel_id)
  const stored = found?.record
  if (!stored || found.isDeleted || !isToMove(stored, lead)) return
  const resolved = lead && { resolved: lead.addresses }
  const draft = await draftUpdate(context, stored, {
    body: {},
    problems: new Problems(),
    isFollowed: true,
    ...resolved,
  })
  const { before, record: wanted } = draft
  if (stored.local_endpoint === wanted.local_endpoint && stored.remote_endpoint === wanted.remote_endpoint) return
  if (lead) await refuseOwnWay(context, stored.interface_name, wanted.remote_endpoint)
  noteMove(context, stored, wanted)
  const after = before && movedState(before, stored, wanted)
  const resource = tunnelResource(context)
  onBegin()
  if (sameState(before, after)) await save(context, resource, { id: tunnel_id, wanted })
  else await update(context, resource, { stored, wanted, changes: [{ before, after }] })
}

const isToMove = (stored: TunnelRecord, lead: Lead): boolean =>
  lead === null
    ? stored.is_local_endpoint_automatic
    : stored.remote_hostname === lead.hostname && !lead.addresses.includes(stored.remote_endpoint)

function noteMove({ note }: CommandContext, stored: TunnelRecord, wanted: Ends): void {
  const { interface_name: name, remote_hostname, local_endpoint: own, remote_endpoint: far } = stored
  if (far !== wanted.remote_endpoint)
    note.operation(`${remote_hostname} leads to ${wanted.remote_endpoint}: the far end of ${name} was ${far}`)
  if (own !== wanted.local_endpoint)
    note.operation(
      `the route to ${wanted.remote_endpoint} has ${wanted.local_endpoint}: this end of ${name} was ${own}`,
    )
}

/** A tunnel whose far end is reached through it would carry itself. */
async function refuseOwnWay({ request }: CommandContext, interface_name: string, address: string): Promise<void> {
  const { routes } = await request('route.lookup', { addresses: [address] })
  const [route] = routes
  if (route?.device === interface_name)
    throw new Refusal('CONFLICT', message('tunnel.carries_itself', { network: route.destination }))
}

/** Only where the old ends are found: a move corrects no drift. */
function movedState({ link, saved, ...state }: TunnelState, from: Ends, to: Ends): TunnelState {
  const moved = <C extends Ends | null>(config: C): C =>
    config && {
      ...config,
      ...(config.local_endpoint === from.local_endpoint && { local_endpoint: to.local_endpoint }),
      ...(config.remote_endpoint === from.remote_endpoint && { remote_endpoint: to.remote_endpoint }),
    }
  const inside = <H extends { readonly config: Ends | null } | null>(holder: H): H =>
    holder && { ...holder, config: moved(holder.config) }
  return {
    ...state,
    link: inside(link),
    saved: saved && {
      ...saved,
      systemd_unit: inside(saved.systemd_unit),
      networkd_netdev: inside(saved.networkd_netdev),
    },
  }
}
