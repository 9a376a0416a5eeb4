// The stored tunnels whose ends follow something, and what is wrong with that.
import { messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import type { TunnelRecord } from './record.ts'
import { RECORD, recordOf } from './store-record.ts'

const living = (db: ReadDb) =>
  db.selectFrom('tunnel').select(RECORD).where('deleted_date', 'is', null).orderBy('tunnel_id')

/** Those among `ids`; null: all of them. */
export async function tunnelsWithName(db: ReadDb, ids: readonly number[] | null): Promise<TunnelRecord[]> {
  const all = living(db).where('remote_hostname', 'is not', null)
  const rows = await (ids === null ? all : all.where(isAmong('tunnel_id', ids))).execute()
  return rows.map(({ record }) => recordOf(record))
}

/** Those whose own end follows the route to the other one. */
export async function automaticTunnels(db: ReadDb): Promise<TunnelRecord[]> {
  const rows = await living(db).where('is_local_endpoint_automatic', '=', 1).execute()
  return rows.map(({ record }) => recordOf(record))
}

export type EndProblem = 'remote_hostname_problem' | 'local_endpoint_problem'

/** A record that follows something else meanwhile stays as it is. */
export async function storeEndProblem(
  db: WriteDb,
  { tunnel_id, remote_hostname, is_local_endpoint_automatic }: TunnelRecord,
  field: EndProblem,
  problem: Message | null,
): Promise<void> {
  const { [field]: text, [`${field}_message` as const]: whole } = messageFields(field, problem ?? verbatim(''))
  await db
    .updateTable('tunnel')
    .set({ [field]: text, [`${field}_message`]: JSON.stringify(whole) })
    .where('tunnel_id', '=', tunnel_id)
    .where('remote_hostname', 'is', remote_hostname)
    .where('is_local_endpoint_automatic', '=', is_local_endpoint_automatic ? 1 : 0)
    .execute()
}
