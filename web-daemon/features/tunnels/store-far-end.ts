// The stored tunnels whose far ends have names, and what is wrong with those.
import { messageFields, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import type { TunnelRecord } from './record.ts'
import { RECORD, recordOf } from './store-record.ts'

/** Those among `ids`; null: all of them. */
export async function tunnelsWithName(db: ReadDb, ids: readonly number[] | null): Promise<TunnelRecord[]> {
  const all = db
    .selectFrom('tunnel')
    .select(RECORD)
    .where('deleted_date', 'is', null)
    .where('remote_hostname', 'is not', null)
    .orderBy('tunnel_id')
  const rows = await (ids === null ? all : all.where(isAmong('tunnel_id', ids))).execute()
  return rows.map(({ record }) => recordOf(record))
}

/** A record that has another name meanwhile stays as it is. */
export async function storeNameProblem(
  db: WriteDb,
  { tunnel_id, remote_hostname }: Pick<TunnelRecord, 'tunnel_id' | 'remote_hostname'>,
  problem: Message | null,
): Promise<void> {
  const { remote_hostname_problem, remote_hostname_problem_message } = messageFields(
    'remote_hostname_problem',
    problem ?? verbatim(''),
  )
  await db
    .updateTable('tunnel')
    .set({
      remote_hostname_problem,
      remote_hostname_problem_message: JSON.stringify(remote_hostname_problem_message),
    })
    .where('tunnel_id', '=', tunnel_id)
    .where('remote_hostname', '=', remote_hostname)
    .execute()
}
