// The stored tunnels, each with what the host shows of it (reference.md, GET /tunnels; decisions.md, R16, W15).
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Incoming, type Sendable } from '../../platform/http/endpoint.ts'
import { jsonList, jsonObject } from '../../platform/http/json-text.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { flagIn } from '../../platform/http/query.ts'
import { pageOfTunnels, type TunnelFilter } from './store.ts'
import { observe, tunnelText } from './view.ts'

/** The tunnels that are watched and in the state of that name; null where there is no such state. */
export type InState = (word: string) => Promise<readonly number[] | null>

export const listAllTunnels =
  (inState: InState) =>
  async ({ db, request }: ReadContext, { query }: Incoming): Promise<Sendable<ListTunnelsAnswer>> => {
    const paging = parsePaging(query)
    const tunnel_ids = (await inState(query['state'] ?? '')) ?? undefined
    const { total, interface_names, rows } = await pageOfTunnels(db, { ...filterOf(query), tunnel_ids }, paging)
    const [stored, observed] = await Promise.all([rows(), observe(request, interface_names)])
    const tunnels = jsonList(stored.map((row) => tunnelText(row, observed(row.interface_name))))
    return ok(jsonObject<ListTunnelsAnswer>({ tunnels, total, ...paging }))
  }

/** What cannot be read counts as not given, as with paging. */
function filterOf(query: Incoming['query']): TunnelFilter {
  const type = query['tunnel_type_id'] ?? ''
  return {
    search: query['search'],
    is_enabled: flagIn(query['is_enabled']),
    tunnel_type_id: /^\d{1,9}$/.test(type) ? Number(type) : undefined,
    apply_status_id: applyStatusOf(query['state'] ?? ''),
  }
}

/** `state` may be an apply status, by its word or number. */
function applyStatusOf(text: string): number | undefined {
  const known = Object.entries(APPLY_STATUSES).find(
    ([title, id]) => title.toLowerCase() === text.toLowerCase() || String(id) === text,
  )
  return known?.[1]
}
