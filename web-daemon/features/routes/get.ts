// One stored rule with its health and traffic (reference.md, GET /routes/{id}; decisions.md, T4).
import type { RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, ReadDb, StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { findShadows } from './health/shadows.ts'
import { itemsOf } from './items.ts'
import type { RouteRecord } from './record.ts'
import { findRoute } from './store.ts'
import type { Traffic } from './traffic/traffic.ts'

export const getRoute =
  (traffic: Traffic) =>
  async (context: ReadContext, { params }: Incoming): Promise<Answer<RouteAnswer>> => {
    const record = await requireRoute(context.db, params)
    const [[item], shadows] = await Promise.all([
      itemsOf(context, traffic, [record]),
      findShadows(context.db, [record.route_rule_id]),
    ])
    if (!item) throw new Error(`Rule ${record.route_rule_id} cannot be shown`)
    const shadowed_by = (shadows.get(record.route_rule_id) ?? []).map(({ route_rule_id, route_rule_title: title }) => ({
      route_rule_id,
      title,
    }))
    return ok({ ...item, shadowed_by })
  }

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
