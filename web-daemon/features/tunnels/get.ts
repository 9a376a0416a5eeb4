// One stored tunnel with what the host shows of it (reference.md, GET /tunnels/{id}).
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { findTunnel } from './store.ts'
import { observe, tunnelView } from './view.ts'

export async function getTunnel({ db, request }: ReadContext, { params }: Incoming): Promise<Answer<TunnelView>> {
  const found = await findTunnel(db, idIn(params))
  if (!found || found.isDeleted) throw noSuchTunnel(idIn(params))
  const { record } = found
  return ok(tunnelView(record, (await observe(request, [record.interface_name]))(record.interface_name)))
}

export function idIn(params: Incoming['params']): number {
  const id = params['id']
  if (id === undefined) throw new Error('The path has no id')
  return id
}

export const noSuchTunnel = (tunnel_id: number): Refusal =>
  new Refusal('NOT_FOUND', message('tunnel.not_found', { tunnel_id }))
