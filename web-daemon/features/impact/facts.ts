// What an impact is worked out from, read as far as the foreseen changes need it. What cannot be read is not known, and
// the impact says so.
import { formatCidr, parseIp } from '@panel/shared/address/ip.ts'
import { keptInterfaces, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import { tunnelChanges, type ImpactFacts, type TunnelFacts } from '@panel/shared/impact/impact.ts'
import { goneNetworks } from '@panel/shared/impact/networks.ts'
import { INTERRUPTED, linkImpact } from '@panel/shared/impact/link.ts'
import type { RuleFacts } from '@panel/shared/impact/rules.ts'
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { ROUTE_LOOKUPS_MAX } from '@panel/shared/rpc/methods.ts'
import type { RouteThrough } from '@panel/shared/tunnel/model.ts'
import type { RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Requester } from '../../platform/impact.ts'
import { readPaths } from '../routes/path/path.ts'
import { ruleOf, type RouteRecord } from '../routes/record.ts'
import { allRoutes } from '../routes/store.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { existingTunnels, type ExistingTunnel } from '../tunnels/store.ts'
import { countConnections } from './connections.ts'
import { countOlder } from './older.ts'
import { nullIfUnreadable } from './unreadable.ts'

export interface ImpactDeps {
  readonly traffic: Traffic
  readonly took: ImpactFacts['took']
  readonly stateOf: (tunnel_id: number) => MonitorState
}

export async function gatherFacts(
  context: ReadContext,
  { traffic, took, stateOf }: ImpactDeps,
  foreseen: Foreseen,
  requester: Requester,
): Promise<ImpactFacts> {
  const { ended = [] } = foreseen
  const links = tunnelChanges(foreseen).map((changes) => linkImpact(changes, []))
  const cut = links.filter(({ effect }) => INTERRUPTED.includes(effect))
  const isOverLinks = links.some(({ effect }) => effect !== 'none' && effect !== 'made')
  const [records, tunnels] = await Promise.all([
    foreseen.changes.length > links.length || isOverLinks || ended.length > 0 ? allRoutes(context.db) : [],
    links.length > 0 ? existingTunnels(context.db) : [],
  ])
  const keepSome = new Set(ended.flatMap(({ route_rule_id, kept }) => (kept.length > 0 ? [route_rule_id] : [])))
  const isMixed = ({ route_rule_id, destinations }: RouteRecord): boolean =>
    keepSome.has(route_rule_id) || (isOverLinks && destinations.length > 1)
  const [rules, ways, through, connections] = await Promise.all([
    rulesIn(context, records, isOverLinks || goneNetworks(foreseen).length > 0),
    lookUp(context, [requester.client_ip, ...(cut.length > 0 ? tunnels.map(farEnd) : [])], concernsWays(foreseen)),
    routesThrough(context, cut.map(nameOf)),
    countConnections(context, traffic, { records, mixed: records.filter(isMixed) }),
  ])
  const older = await countOlder(context, foreseen)
  const unknown = isOverLinks && ways === null ? WAYS_UNKNOWN : (connections.unknown ?? older.unknown)
  return {
    checked_at: connections.checked_at,
    client: clientFacts(requester, ways),
    tunnels: tunnels.map((one) => ({ ...tunnelFacts(one, ways), state: stateOf(one.tunnel_id) })),
    rules,
    connections: { ...connections, unknown },
    older: older.count,
    through,
    took,
  }
}

/** Whether the way of the operator's own connection may be concerned. */
const concernsWays = (foreseen: Foreseen): boolean =>
  foreseen.changes.some(({ noun }) => noun === 'tunnel' || noun === 'network') || keptInterfaces(foreseen).length > 0

const farEnd = ({ remote_endpoint }: { readonly remote_endpoint: string }): string => remote_endpoint
const nameOf = ({ interface_name }: { readonly interface_name: string }): string => interface_name

const clientFacts = (
  { client_ip, server_ip }: Requester,
  ways: Awaited<ReturnType<typeof lookUp>>,
): ImpactFacts['client'] => ({ client_ip, server_ip, route: ways?.get(client_ip) ?? null, isRouteKnown: ways !== null })

/** Then nobody knows which rules lead over the link. */
const WAYS_UNKNOWN = message('impact.ways_unknown')

async function rulesIn(context: ReadContext, records: readonly RouteRecord[], withWays: boolean): Promise<RuleFacts[]> {
  const paths = withWays ? await readPaths(context, records) : null
  return records.flatMap((record) => {
    const rule = ruleOf({ ...record, is_enabled: true })
    if (!rule) return []
    const hops = paths?.hopsOf(record) ?? []
    const enabled = record.destinations.filter(({ is_enabled }) => is_enabled)
    const ways = enabled.map(({ address }, at) => {
      const network = paths?.wayTo(address)?.network
      return {
        address,
        interface_name: paths?.nameOf(hops[at] ?? 0) ?? null,
        network: network ? formatCidr(network) : null,
      }
    })
    const { route_rule_id, route_rule_title: title, is_enabled } = record
    return [{ route_rule_id, title, is_enabled, rule, ways }]
  })
}

type Ways = ReadonlyMap<string, RoutingEntry | null>

/** Looks up routes; null if root cannot be reached. */
async function lookUp({ request }: ReadContext, all: readonly string[], isNeeded: boolean): Promise<Ways | null> {
  const addresses = isNeeded ? [...new Set(all)].filter((one) => parseIp(one)) : []
  const found = new Map<string, RoutingEntry | null>()
  for (let at = 0; at < addresses.length; at += ROUTE_LOOKUPS_MAX) {
    const piece = addresses.slice(at, at + ROUTE_LOOKUPS_MAX)
    const answer = await nullIfUnreadable(request('route.lookup', { addresses: piece }))
    if (!answer) return null
    for (const [index, route] of answer.routes.entries()) found.set(piece[index] ?? '', route)
  }
  return found
}

const tunnelFacts = (
  { tunnel_id, interface_name, remote_endpoint }: ExistingTunnel,
  ways: Ways | null,
): Omit<TunnelFacts, 'state'> => ({
  tunnel_id,
  interface_name,
  underlay_device: ways?.get(remote_endpoint)?.device ?? null,
})

/** Two to a request, which is what root takes. */
async function routesThrough({ request }: ReadContext, names: readonly string[]): Promise<ImpactFacts['through']> {
  const found = new Map<string, readonly RouteThrough[]>()
  for (let at = 0; at < names.length; at += 2) {
    const answer = await nullIfUnreadable(request('route.through', { interface_names: names.slice(at, at + 2) }))
    if (!answer) return null
    for (const { interface_name, routes } of answer.links) found.set(interface_name, routes)
  }
  return found
}
