// Over which tunnels the packets of a rule go: by the kernel's routing table and the tunnels' subnets, whatever the
// rule names. What it names counts where only a default route is known, or where the tunnel is down and its routes with
// it (decisions.md, F9).
import { ROUTE_LOOKUPS_MAX, type Reader } from '@panel/shared/rpc/methods.ts'
import type { FoundRoute, RouteKind, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { CommandContext, ReadContext } from '../../../platform/context.ts'
import { nullIfHelperAway } from '../../../platform/helper/away.ts'
import { readOnce } from '../../../platform/helper/reading-once.ts'
import { existingTunnels, type ExistingTunnel } from '../../tunnels/store.ts'
import { observe } from '../../tunnels/view.ts'
import { subnetsOf, waysOver, type TunnelRoute, type Way } from '../../tunnels/subnets.ts'
import { routeEnds, routesOf, type RouteEnds } from '../store.ts'
import { replaceTunnelRoutes, tunnelRoutes } from './store-paths.ts'
import type { RouteRecord } from '../record.ts'

export interface OutDevice {
  readonly address: string
  /** Null if it is not known. */
  readonly device: string | null
}

export interface Paths {
  /** The tunnel_id for each destination in force; null where it is reached over none that is known. */
  readonly hopsOf: (rule: RouteEnds) => (number | null)[]
  readonly tunnelsOf: (rule: RouteEnds) => number[]
  readonly wayTo: (address: string) => Way | undefined
  /**
   * The interface by which the kernel sends packets to the address now; null if that is not known, or not one interface
   * alone.
   */
  readonly deviceTo: (address: string) => string | null
  /** The interface by which packets to each enabled destination leave. A mark may have another table looked up. */
  readonly outDevices: (rule: RouteEnds) => OutDevice[]
  /** Through which everything leaves; null if there are several, or it is not known. */
  readonly outDevice: (rule: RouteEnds) => string | null
  /** What the kernel does with packets to the address; null if that was not looked up, or nobody could. */
  readonly kindOf: (address: string) => RouteKind | null
  /** Undefined of a tunnel that was deleted. */
  readonly nameOf: (tunnel_id: number) => string | undefined
  /** What people call the tunnel; "" where it has no such name. */
  readonly displayNameOf: (tunnel_id: number) => string
  /** Whether the operator wants the tunnel to be up. */
  readonly isEnabled: (tunnel_id: number) => boolean
  /** Those of this end of the tunnel. */
  readonly innerAddressesOf: (tunnel_id: number) => readonly string[]
}

type Context = Pick<ReadContext, 'db' | 'request'>

/**
 * Reads the paths of the given rules. Without a stored tunnel no route need be looked up, unless `withDevices`: what
 * the panel does not manage may be a tunnel, too.
 */
export async function readPaths(
  { db, request }: Context,
  rules: readonly RouteEnds[],
  { withDevices = false } = {},
): Promise<Paths> {
  const { tunnels, names, subnets, remembered } = await readOnce(request, readTunnels, () => readTunnels(db))
  const wanted = new Set(rules.flatMap(({ destinations }) => destinations.map(({ address }) => address)))
  // A name that has never been resolved leads nowhere.
  wanted.delete('')
  const inDoubt = [...rules, ...remembered].flatMap(({ tunnel_id }) => names.get(tunnel_id ?? 0) ?? [])
  const [routes, observed] = await Promise.all([
    lookUpRoutes(request, tunnels.size > 0 || withDevices ? [...wanted] : []),
    observe(request, [...new Set(inDoubt)]),
  ])
  /** While a tunnel is down the kernel has no routes through it. */
  const isUp = (tunnel_id: number | null): boolean => observed(names.get(tunnel_id ?? 0) ?? '').is_up
  const wayTo = waysOver(
    subnets,
    (address) => routes.get(address)?.route,
    remembered.filter(({ tunnel_id }) => names.has(tunnel_id) && !isUp(tunnel_id)),
  )
  return pathsBy({ tunnels, routes, isUp, wayTo })
}

/** What is stored of the tunnels. */
async function readTunnels(db: Context['db']) {
  const [tunnels, remembered] = await Promise.all([existingTunnels(db), tunnelRoutes(db)])
  return {
    tunnels: new Map(tunnels.map((one) => [one.tunnel_id, one])),
    names: new Map(tunnels.map(({ tunnel_id, interface_name }) => [tunnel_id, interface_name])),
    subnets: subnetsOf(tunnels),
    remembered,
  }
}

interface Read extends Pick<Paths, 'wayTo'> {
  readonly tunnels: ReadonlyMap<number, ExistingTunnel>
  readonly routes: ReadonlyMap<string, FoundRoute>
  readonly isUp: (tunnel_id: number | null) => boolean
}

function pathsBy({ tunnels, routes, isUp, wayTo }: Read): Paths {
  const hopTo = ({ tunnel_id, fwmark }: RouteEnds, address: string): number | null => {
    // A mark may have another routing table looked up.
    if (address === '') return null
    if (fwmark !== null && tunnel_id !== null) return tunnel_id
    const way = wayTo(address)
    return way?.tunnel_id ?? (way?.isRoute && isUp(tunnel_id) ? null : tunnel_id)
  }
  const hopsOf = (rule: RouteEnds): (number | null)[] => addressesOf(rule).map((address) => hopTo(rule, address))
  const deviceTo = (address: string): string | null => onlyDevice(routes.get(address)?.route)
  const leavesBy = (rule: RouteEnds, address: string): string | null => {
    const hop = hopTo(rule, address)
    const routed = rule.fwmark === null ? deviceTo(address) : null
    // What the rule names leads nowhere by itself: while its tunnel is up, packets leave by what the kernel finds.
    if (routed !== null && (hop === null || (isUp(hop) && wayTo(address)?.tunnel_id !== hop))) return routed
    return hop === null ? null : (tunnels.get(hop)?.interface_name ?? null)
  }
  const outDevices = (rule: RouteEnds): OutDevice[] =>
    addressesOf(rule).map((address) => ({ address, device: leavesBy(rule, address) }))
  return {
    hopsOf,
    tunnelsOf: (rule) => [...new Set(hopsOf(rule))].filter((hop) => hop !== null),
    wayTo,
    deviceTo,
    outDevices,
    outDevice: (rule) => {
      const [device = null, ...others] = new Set(outDevices(rule).map((one) => one.device))
      return others.length === 0 ? device : null
    },
    kindOf: (address) => routes.get(address)?.kind ?? null,
    nameOf: (tunnel_id) => tunnels.get(tunnel_id)?.interface_name,
    displayNameOf: (tunnel_id) => tunnels.get(tunnel_id)?.display_name ?? '',
    isEnabled: (tunnel_id) => tunnels.get(tunnel_id)?.is_enabled === true,
    innerAddressesOf: (tunnel_id) => tunnels.get(tunnel_id)?.addresses.map(({ address }) => address) ?? [],
  }
}

const addressesOf = ({ destinations }: RouteEnds): string[] =>
  destinations.filter(({ is_enabled }) => is_enabled).map(({ address }) => address)

export const onlyDevice = (route: RoutingEntry | null | undefined): string | null =>
  route && route.device !== '' && !route.has_several_hops ? route.device : null

/** Nothing while the helper is away. */
export async function lookUpRoutes(request: Reader, addresses: readonly string[]): Promise<Map<string, FoundRoute>> {
  const routes = new Map<string, FoundRoute>()
  for (let at = 0; at < addresses.length; at += ROUTE_LOOKUPS_MAX) {
    const piece = addresses.slice(at, at + ROUTE_LOOKUPS_MAX)
    const found = await nullIfHelperAway(request('route.lookup', { addresses: piece }))
    for (const [index, route] of (found?.routes ?? []).entries())
      routes.set(piece[index] ?? '', { route, kind: found?.kinds[index] ?? 'none' })
  }
  return routes
}

/** The ids of living rules with packets that go over the tunnel. */
export async function idsOverTunnel(context: Context, tunnel_id: number): Promise<number[]> {
  const rules = await routeEnds(context.db)
  const { tunnelsOf } = await readPaths(context, rules)
  return rules.filter((rule) => tunnelsOf(rule).includes(tunnel_id)).map(({ route_rule_id }) => route_rule_id)
}

/** In their order. */
export const routesOverTunnel = async (context: Context, tunnel_id: number): Promise<RouteRecord[]> =>
  routesOf(context.db, await idsOverTunnel(context, tunnel_id))

/** Stores which routes through tunnels lead to destinations, since the kernel drops them when a tunnel goes down. */
export async function rememberRoutes(
  { db }: Pick<CommandContext, 'db'>,
  rules: readonly RouteEnds[],
  { wayTo }: Paths,
): Promise<void> {
  const found = rules.flatMap(({ destinations }) =>
    destinations.flatMap(({ address }): TunnelRoute[] => {
      const { tunnel_id = null, isRoute = false, network } = (address === '' ? undefined : wayTo(address)) ?? {}
      return tunnel_id !== null && isRoute && network ? [{ tunnel_id, network }] : []
    }),
  )
  await replaceTunnelRoutes(db, found)
}
