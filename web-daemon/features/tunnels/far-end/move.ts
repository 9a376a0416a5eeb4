// Leads a tunnel to what the name of its far end resolves to now: an automatic change in place (decisions.md, T48).
import { sameState } from '@panel/shared/change/change.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { save, update } from '../../../change/engine.ts'
import type { CommandContext } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { draftUpdate } from '../draft/update.ts'
import { tunnelResource } from '../resource.ts'
import { findTunnel } from '../store.ts'

export interface Lead {
  readonly tunnel_id: number
  readonly hostname: string
  readonly addresses: readonly string[]
}

/** Call it inside `inTurn`. `onBegin` is called once nothing but root can refuse the move. */
export async function moveFarEnd(
  context: CommandContext,
  { tunnel_id, hostname, addresses }: Lead,
  onBegin: () => void,
): Promise<void> {
  const found = await findTunnel(context.db, tunnel_id)
  const stored = found?.record
  if (!stored || found.isDeleted || stored.remote_hostname !== hostname) return
  if (addresses.includes(stored.remote_endpoint)) return
  const draft = await draftUpdate(context, stored, { body: {}, problems: new Problems(), resolved: addresses })
  const { before, record: wanted } = draft
  const [from, to] = [stored.remote_endpoint, wanted.remote_endpoint]
  await refuseOwnWay(context, stored.interface_name, to)
  context.note.operation(`${hostname} leads to ${to}: the far end of ${stored.interface_name} was ${from}`)
  const after = before && movedState(before, from, to)
  const resource = tunnelResource(context)
  onBegin()
  if (sameState(before, after)) await save(context, resource, { id: tunnel_id, wanted })
  else await update(context, resource, { stored, wanted, changes: [{ before, after }] })
}

/** A tunnel whose far end is reached through it would carry itself. */
async function refuseOwnWay({ request }: CommandContext, interface_name: string, address: string): Promise<void> {
  const { routes } = await request('route.lookup', { addresses: [address] })
  const [route] = routes
  if (route?.device === interface_name)
    throw new Refusal('CONFLICT', message('tunnel.carries_itself', { network: route.destination }))
}

/** Only where the old far end is found: a move corrects no drift. */
function movedState({ link, saved, ...state }: TunnelState, from: string, to: string): TunnelState {
  const moved = <C extends { readonly remote_endpoint: string } | null>(config: C): C =>
    config?.remote_endpoint === from ? { ...config, remote_endpoint: to } : config
  const inside = <H extends { readonly config: { readonly remote_endpoint: string } | null } | null>(holder: H): H =>
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
