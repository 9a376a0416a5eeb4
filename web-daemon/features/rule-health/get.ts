// One stored rule with its health and traffic (reference.md, GET /routes/{id}; decisions.md, T4).
import type { RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { findShadows } from './shadows.ts'
import { itemsOf, type RuleDeps } from './items.ts'
import { requireRoute } from '../routes/target.ts'

export const getRoute =
  (deps: RuleDeps) =>
  async (context: ReadContext, { params }: Incoming): Promise<Answer<RouteAnswer>> => {
    const record = await requireRoute(context.db, params)
    const [[item], shadows] = await Promise.all([
      itemsOf(context, deps, [record]),
      findShadows(context.db, [record.route_rule_id]),
    ])
    if (!item) throw new Error(`Rule ${record.route_rule_id} cannot be shown`)
    const shadowed_by = (shadows.get(record.route_rule_id) ?? []).map(({ route_rule_id, route_rule_title: title }) => ({
      route_rule_id,
      title,
    }))
    return ok({ ...item, shadowed_by })
  }
