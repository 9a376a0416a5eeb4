// The rule that a request is about, by the id in its path.
import { message } from '@panel/shared/messages/message.ts'
import type { ReadDb, StoreContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { RouteRecord } from './record.ts'
import { findRoute } from './store.ts'

/** Throws 404 where there is none, or none any more. */
export async function requireRoute(db: ReadDb, params: Incoming['params']): Promise<RouteRecord> {
  const id = params['id']
  const record = id === undefined ? null : await findRoute(db, id)
  if (!record) throw new Refusal('NOT_FOUND', message('route.not_found', { route_rule_id: id ?? '' }))
  return record
}

/** The rule that a command is about, noted for the audit log. */
export async function targetOf(
  { db, note }: Pick<StoreContext, 'db' | 'note'>,
  params: Incoming['params'],
): Promise<RouteRecord> {
  const record = await requireRoute(db, params)
  note.target('route', record.route_rule_id)
  return record
}
