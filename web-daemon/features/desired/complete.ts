// What a file leaves out of an object has its default, not its present value; what is given at random or taken from
// what is free stays as it is.
import { withDefaults } from '@panel/shared/api/base/field-list.ts'
import { NETWORK_FIELDS } from '@panel/shared/api/networks/fields.ts'
import type { ReadContext } from '../../platform/context.ts'
import { Problems } from '../../platform/http/problems.ts'
import { networkItem, poolItem, routeItem, tunnelItem } from '../backup/document.ts'
import { draftNetwork } from '../networks/draft/draft.ts'
import { allNetworks } from '../networks/store.ts'
import { draftPool } from '../pools/create.ts'
import { allPools } from '../pools/store.ts'
import type { Item } from '../revisions/packed.ts'
import type { RequestedRoute } from '../routes/draft/context.ts'
import { draftFields as draftRoute, makeRecord as makeRoute } from '../routes/draft/draft.ts'
import { resolveNames } from '../routes/draft/names.ts'
import { hostFacts as routeFacts } from '../routes/facts.ts'
import { allRoutes } from '../routes/store.ts'
import { assembleDraft, type RequestedTunnel } from '../tunnels/draft/context.ts'
import { draftFields as draftTunnel, makeRecord as makeTunnel } from '../tunnels/draft/draft.ts'
import { withFarEnd } from '../tunnels/draft/far-end.ts'
import { hostFacts as tunnelFacts } from '../tunnels/facts.ts'
import { everyTunnel } from '../tunnels/store.ts'
import type { Kind, Wanted } from './document.ts'

/** Null where a problem leaves something undecided: the request itself finds it then. */
type Complete = (id: number, given: Item) => Promise<object | null>

/** Reads once what all objects of a kind are completed by. */
type Completing = (context: ReadContext) => Promise<Complete>

const OF: Readonly<Record<Kind, Completing>> = {
  pool:
    async ({ settings }) =>
    async (_id, given) =>
      poolItem(await draftPool({ settings }, { body: given as never, problems: new Problems() })),
  tunnel: async ({ db, request, settings }) => {
    const tunnels = new Map((await everyTunnel(db)).map((one) => [one.tunnel_id, one]))
    // Whether it would conflict with others is a question for the request itself.
    const known = { settings, facts: await tunnelFacts(request), existing: [], pools: await allPools(db) }
    return async (id, given) => {
      const stored = tunnels.get(id)
      if (!stored) return null
      const { tunnel_number, tunnel_side_id, ikey, okey, address_pool_id } = stored
      const addresses = tunnelItem(stored).addresses ?? []
      const kept = { tunnel_number, tunnel_side_id, ikey, okey, address_pool_id, addresses }
      const body: RequestedTunnel = { ...kept, ...given }
      const draft = await withFarEnd(assembleDraft(known, body, new Problems(), stored), { sent: body })
      const fields = draftTunnel(draft)
      return fields && tunnelItem({ ...stored, ...makeTunnel(draft, fields, '') })
    }
  },
  network: async (context) => {
    const networks = new Map((await allNetworks(context.db)).map((one) => [one.network_id, one]))
    return async (id, given) => {
      const stored = networks.get(id)
      if (!stored) return null
      const body = { ...withDefaults(NETWORK_FIELDS, {}), ...given }
      return networkItem((await draftNetwork(context, { body, problems: new Problems() }, stored)).record)
    }
  },
  route: async ({ db, request, settings }) => {
    const routes = new Map((await allRoutes(db)).map((one) => [one.route_rule_id, one]))
    const names = new Map((await everyTunnel(db)).map((one) => [one.tunnel_id, one.interface_name]))
    const facts = await routeFacts(request, false)
    const known = { settings, facts, rulesOnPorts: [], titleOwner: null, panelPorts: () => [] }
    return async (id, given) => {
      const stored = routes.get(id)
      if (!stored) return null
      const { sort_order, tunnel_id } = stored
      const body: RequestedRoute = { sort_order, tunnel_id, ...given }
      const tunnel = names.get(body.tunnel_id ?? 0) ?? null
      const resolved = await resolveNames(body, stored, settings)
      const draft = { ...known, body, stored, tunnel, names: resolved, problems: new Problems(), warnings: [] }
      const fields = draftRoute(draft)
      return fields && routeItem({ ...makeRoute(draft, fields, ''), route_rule_id: id })
    }
  },
}

/** Completes the objects that are there already. */
export async function completing(
  context: ReadContext,
  wanted: readonly Wanted[],
): Promise<(one: Wanted) => Promise<Item | null>> {
  const of = new Map<Kind, Complete>()
  for (const { kind, stored } of wanted) if (stored && !of.has(kind)) of.set(kind, await OF[kind](context))
  return async ({ kind, target_key, given }) =>
    ((await of.get(kind)?.(Number(target_key), given)) ?? null) as Item | null
}
