// Copies a rule under a free name, out of force (reference.md, POST /routes/{id}/duplicate).
import type { DuplicateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { created, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { titleOfCopy } from './draft/titles.ts'
import { requireRoute } from './target.ts'
import { nextPlace, storedRoute } from './store.ts'
import { insertRoute } from './store-write.ts'
import { routeView } from './view.ts'

export function duplicateRoute(context: StoreContext, { params }: Incoming): Promise<Answer<DuplicateRouteAnswer>> {
  const { db, note, now, inTurn } = context
  return inTurn(async () => {
    const original = await requireRoute(db, params)
    const { destinations, allowed_sources, ...rest } = original
    const place = await nextPlace(db)
    const date = now().toISOString()
    const copy = {
      ...rest,
      ...place,
      route_rule_title: await titleOfCopy(db, original.route_rule_title),
      is_enabled: false,
      apply_status_id: APPLY_STATUSES.Applied,
      last_applied_date: date,
      ...messageFields('last_apply_error', verbatim('')),
      created_date: date,
      updated_date: date,
      destinations: destinations.map(({ route_destination_id: _id, ...one }) => ({
        ...one,
        drained_until: null,
        state: 'unknown' as const,
      })),
      allowed_sources: allowed_sources.map(({ route_allowed_source_id: _id, ...one }) => one),
    }
    await db.transaction().execute((transaction) => insertRoute(transaction, copy))
    const record = await storedRoute(db, place.route_rule_id)
    note.target('route', record.route_rule_id)
    note.operation(`Copied the rule ${original.route_rule_id}`)
    const answer: DuplicateRouteAnswer = {
      route: routeView(record),
      ...messageFields('note', message('note.copy')),
    }
    return created(answer)
  })
}
