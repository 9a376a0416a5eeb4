// The stored networks, each with what the host holds of it (reference.md, GET /networks).
import type { ListNetworksAnswer, NetworkView } from '@panel/shared/api/networks/answers.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { flagIn } from '../../platform/http/query.ts'
import { pageOfNetworks, pathTunnels, type NetworkFilter } from './store.ts'
import { idIn, requireNetwork } from './target.ts'
import { networkView, observe } from './view.ts'

export async function listNetworks(
  { db, request }: ReadContext,
  { query }: Incoming,
): Promise<Answer<ListNetworksAnswer>> {
  const paging = parsePaging(query)
  const { total, records } = await pageOfNetworks(db, filterOf(query), paging)
  const [tunnels, observed] = await Promise.all([
    pathTunnels(db, records),
    observe(
      request,
      records.map(({ destination }) => destination),
    ),
  ])
  const networks = records.map((record) => networkView(record, tunnels, observed(record.destination)))
  return ok({ networks, total, ...paging })
}

const filterOf = ({ search, tunnel_id = '', is_enabled }: Incoming['query']): NetworkFilter => ({
  search,
  tunnel_id: tunnel_id === '' ? undefined : Number(tunnel_id),
  is_enabled: flagIn(is_enabled),
})

export async function getNetwork({ db, request }: ReadContext, { params }: Incoming): Promise<Answer<NetworkView>> {
  const record = await requireNetwork(db, idIn(params))
  const observed = await observe(request, [record.destination])
  return ok(networkView(record, await pathTunnels(db, [record]), observed(record.destination)))
}
