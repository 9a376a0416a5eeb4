// Over which tunnels the packets of a rule go: by the kernel's routing table and the tunnels' subnets, whatever the rule
// names. What it names counts where only a default route is known, or where the tunnel is down and its routes with it
// (decisions.md, F9).
import type { CommandContext, ReadContext, ReadDb } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { parseRoutes } from '../tunnels/facts.ts'
import { existingTunnels } from '../tunnels/store.ts'
import { waysOver, type TunnelRoute, type Way } from '../tunnels/subnets.ts'
import { routeEnds, routesOf, type RouteEnds } from './store.ts'
import { replaceTunnelRoutes, tunnelRoutes } from './store-paths.ts'
import type { RouteRecord } from './record.ts'

export interface Paths {
  /** The tunnel_id for each destination in force; null where it is reached over none that is known. */
  readonly hopsOf: (rule: RouteEnds) => (number | null)[]
  readonly tunnelsOf: (rule: RouteEnds) => number[]
  readonly wayTo: (address: string) => Way | undefined
  /** Undefined of a tunnel that was deleted. */
  readonly nameOf: (tunnel_id: number) => string | undefined
}

type Context = Pick<ReadContext, 'db' | 'request'>

export async function readPaths({ db, request }: Context): Promise<Paths> {
  const [tunnels, host, remembered] = await Promise.all([
    existingTunnels(db),
    nullIfHelperAway(request('host.probe', { parts: ['routing_table'] })),
    tunnelRoutes(db),
  ])
  const routes = parseRoutes(host?.routing_table ?? [])
  const names = new Map(tunnels.map(({ tunnel_id, interface_name }) => [tunnel_id, interface_name]))
  const devices = new Set(routes.map(({ entry }) => entry.device))
  /** A tunnel that is up has routes: its own subnets at least. */
  const hasRoutes = (tunnel_id: number | null): boolean => tunnel_id !== null && devices.has(names.get(tunnel_id) ?? '')
  const wayTo = waysOver(
    tunnels,
    routes,
    remembered.filter(({ tunnel_id }) => names.has(tunnel_id) && !hasRoutes(tunnel_id)),
  )
  const hopTo = ({ tunnel_id, fwmark }: RouteEnds, address: string): number | null => {
    // A mark may have another routing table looked up.
    if (fwmark !== null && tunnel_id !== null) return tunnel_id
    const way = wayTo(address)
    return way?.tunnel_id ?? (way?.isRoute && hasRoutes(tunnel_id) ? null : tunnel_id)
  }
  const hopsOf = (rule: RouteEnds): (number | null)[] =>
    rule.destinations.filter(({ is_enabled }) => is_enabled).map(({ address }) => hopTo(rule, address))
  return {
    hopsOf,
    tunnelsOf: (rule) => [...new Set(hopsOf(rule))].filter((hop) => hop !== null),
    wayTo,
    nameOf: (tunnel_id) => names.get(tunnel_id),
  }
}

export async function idsOverTunnels(db: ReadDb, { tunnelsOf }: Paths): Promise<number[]> {
  const rules = await routeEnds(db)
  return rules.filter((rule) => tunnelsOf(rule).length > 0).map(({ route_rule_id }) => route_rule_id)
}

/** Living rules with packets that go over the tunnel, in their order. */
export async function routesOverTunnel(context: Context, tunnel_id: number): Promise<RouteRecord[]> {
  const [rules, { tunnelsOf }] = await Promise.all([routeEnds(context.db), readPaths(context)])
  const over = rules.filter((rule) => tunnelsOf(rule).includes(tunnel_id))
  return routesOf(
    context.db,
    over.map(({ route_rule_id }) => route_rule_id),
  )
}

/** Stores which routes through tunnels lead to destinations, since the kernel drops them when a tunnel goes down. */
export async function rememberRoutes({ db }: Pick<CommandContext, 'db'>, { wayTo }: Paths): Promise<void> {
  const found = (await routeEnds(db)).flatMap(({ destinations }) =>
    destinations.flatMap(({ address }): TunnelRoute[] => {
      const { tunnel_id = null, isRoute = false, network } = wayTo(address) ?? {}
      return tunnel_id !== null && isRoute && network ? [{ tunnel_id, network }] : []
    }),
  )
  await replaceTunnelRoutes(db, found)
}
