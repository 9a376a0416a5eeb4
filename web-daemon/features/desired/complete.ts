// What a file leaves out of an object has its default, not its present value; what is given at random or taken from
// what is free stays as it is.
import type { ReadContext } from '../../platform/context.ts'
import { Problems } from '../../platform/http/problems.ts'
import { networkItem, poolItem, routeItem, tunnelItem } from '../backup/document.ts'
import { draftNetwork } from '../networks/draft/draft.ts'
import { findNetwork } from '../networks/store.ts'
import { validatePool } from '../pools/create.ts'
import { defaultLength } from '../pools/range.ts'
import type { Item } from '../revisions/packed.ts'
import { draftFields as draftRoute, makeRecord as makeRoute } from '../routes/draft/draft.ts'
import { makeDraftContext as routeContext } from '../routes/draft/context.ts'
import { findRoute } from '../routes/store.ts'
import { makeDraftContext as tunnelContext } from '../tunnels/draft/context.ts'
import { draftFields as draftTunnel, makeRecord as makeTunnel } from '../tunnels/draft/draft.ts'
import { withFarEnd } from '../tunnels/draft/far-end.ts'
import { findTunnel } from '../tunnels/store.ts'
import type { Kind, Wanted } from './document.ts'

/** Null where a problem leaves something undecided: the request itself finds it then. */
type Complete = (
  context: ReadContext,
  id: number,
  given: Item,
  panelPorts: () => readonly number[],
) => Promise<object | null>

const OF: Readonly<Record<Kind, Complete>> = {
  pool: async ({ settings }, _id, given) => {
    const problems = new Problems()
    const lengthFor = (range: Parameters<typeof defaultLength>[0]): number => defaultLength(range, settings)
    return poolItem(validatePool(given as never, problems, { description: '', is_enabled: true, lengthFor }))
  },
  tunnel: async (context, id, given) => {
    const stored = (await findTunnel(context.db, id))?.record
    if (!stored) return null
    const { tunnel_number, tunnel_side_id, ikey, okey, address_pool_id } = stored
    const addresses = tunnelItem(stored).addresses ?? []
    const kept = { tunnel_number, tunnel_side_id, ikey, okey, address_pool_id, addresses }
    const body = { ...kept, ...given } as never
    const draft = await withFarEnd(await tunnelContext(context, body, new Problems(), { stored }), { sent: body })
    const fields = draftTunnel(draft)
    return fields && tunnelItem({ ...stored, ...makeTunnel(draft, fields, '') } as never)
  },
  network: async (context, id, given) => {
    const stored = await findNetwork(context.db, id)
    if (!stored) return null
    const body = { ...NETWORK_DEFAULTS, ...given } as never
    return networkItem((await draftNetwork(context, { body, problems: new Problems() }, stored)).record)
  },
  route: async (context, id, given, panelPorts) => {
    const stored = await findRoute(context.db, id)
    if (!stored) return null
    const { sort_order, tunnel_id } = stored
    const body = { sort_order, tunnel_id, ...given } as never
    const draft = await routeContext(context, body, { problems: new Problems(), panelPorts, stored })
    const fields = draftRoute(draft)
    return fields && routeItem({ ...makeRoute(draft, fields, ''), route_rule_id: id } as never)
  },
}

const NETWORK_DEFAULTS = { note: '', is_enabled: true, own_addresses: [], source_address: null, metric: 50 }

export const complete = (
  context: ReadContext,
  { kind, target_key, given }: Wanted,
  panelPorts: () => readonly number[],
): Promise<Item | null> => OF[kind](context, Number(target_key), given, panelPorts) as Promise<Item | null>
