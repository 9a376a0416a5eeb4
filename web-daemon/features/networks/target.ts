// The network that a request is about, by the id in its path.
import { message } from '@panel/shared/messages/message.ts'
import type { ReadDb, StoreContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { NetworkRecord } from './record.ts'
import { findNetwork } from './store.ts'

/** Throws 404 where there is none, or none any more. */
export async function requireNetwork(db: ReadDb, network_id: number): Promise<NetworkRecord> {
  const record = await findNetwork(db, network_id)
  if (!record) throw new Refusal('NOT_FOUND', message('network.not_found', { network_id }))
  return record
}

export function idIn(params: Incoming['params']): number {
  const id = params['id']
  if (id === undefined) throw new Error('The path has no id')
  return id
}

/** The network that a command is about, noted for the audit log. */
export async function targetOf(
  { db, note }: Pick<StoreContext, 'db' | 'note'>,
  params: Incoming['params'],
): Promise<NetworkRecord> {
  const record = await requireNetwork(db, idIn(params))
  note.target('network', record.network_id)
  return record
}
