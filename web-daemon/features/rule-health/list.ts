// The stored rules in their order, each with its health and traffic (reference.md, GET /routes; decisions.md, F11, T4,
// W15).
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { flagIn } from '../../platform/http/query.ts'
import { itemsOf, type RuleDeps } from './items.ts'
import { idsOverTunnel } from '../routes/path/path.ts'
import { pageOfRoutes, type RouteFilter } from '../routes/store.ts'
import { trafficNote } from '../traffic/view.ts'

export const listRoutes =
  (deps: RuleDeps) =>
  async (context: ReadContext, { query }: Incoming): Promise<Answer<ListRoutesAnswer>> => {
    const paging = parsePaging(query)
    const { total, records } = await pageOfRoutes(context.db, await filterOf(context, query), paging)
    const answer: ListRoutesAnswer = {
      routes: await itemsOf(context, deps, records),
      total,
      ...paging,
      ...trafficNote(null, deps.traffic.missing),
    }
    return ok(answer)
  }

/** What cannot be read counts as not given, as with paging. */
async function filterOf(context: ReadContext, query: Incoming['query']): Promise<RouteFilter> {
  const id = (name: string): number | undefined =>
    /^\d{1,15}$/.test(query[name] ?? '') ? Number(query[name]) : undefined
  const tunnel_id = id('tunnel_id')
  return {
    search: query['search'],
    route_protocol_id: id('route_protocol_id'),
    nat_mode_id: id('nat_mode_id'),
    route_rule_ids: tunnel_id === undefined ? undefined : await idsOverTunnel(context, tunnel_id),
    is_enabled: flagIn(query['is_enabled']),
  }
}
