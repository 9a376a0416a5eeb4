// Whether the operator's own way to the panel is concerned, by the kernel's routing table. Pure.
import { parseIp, type Ip } from '../address/ip.ts'
import type { Impact } from '../api/impact/impact.ts'
import type { Change } from '../change/change.ts'
import { message, messageFields, type Message } from '../messages/message.ts'
import type { TunnelState } from '../tunnel/model.ts'
import type { RoutingEntry } from '../tunnel/observed.ts'
import { keptInterfaces, type Foreseen, type HostChange } from './foreseen.ts'
import { cutByNetworks } from './network-access.ts'
import { cutOf, cutMessage, effectOf } from './own-access.ts'

export interface ClientFacts {
  /** "" without one. */
  readonly client_ip: string
  /** The address of this host that his connection was made to. */
  readonly server_ip: string
  /** The route by which the kernel answers the client now; null if it has none. */
  readonly route: RoutingEntry | null
  readonly isRouteKnown: boolean
}

type Affected = Pick<Impact['own_access'], 'how'> & { readonly detail: Message }

/** `under`: tunnels whose packets go through one that is interrupted. */
export function ownAccess(foreseen: Foreseen, facts: ClientFacts, under: readonly string[]): Impact['own_access'] {
  const { client_ip, isRouteKnown } = facts
  const client = parseIp(client_ip)
  const affected = client && firstOf(foreseen, { ...facts, client }, under)
  const is_known =
    isRouteKnown ||
    !client ||
    affected !== null ||
    !foreseen.changes.some(({ noun }) => noun === 'tunnel' || noun === 'network')
  const unaffected = keptMessage(foreseen, facts) ?? message(is_known ? 'impact.own_none' : 'impact.own_unknown')
  const sentence = affected?.detail ?? unaffected
  const how = affected?.how ?? 'none'
  return { is_affected: affected !== null, is_known, how, client_ip, ...messageFields('detail', sentence) }
}

/** Null unless the client is answered by a route that turning IPv6 forwarding on would take away. */
function keptMessage(foreseen: Foreseen, { client_ip, route }: ClientFacts): Message | null {
  const name = route?.device ?? ''
  return route?.protocol === ADVERTISED && keptInterfaces(foreseen).includes(name)
    ? message('impact.own_kept', { client_ip, name })
    : null
}

/** The protocol of routes that came by router advertisement, in the words of iproute2. */
const ADVERTISED = 'ra'

interface Client extends ClientFacts {
  readonly client: Ip
}

function firstOf({ changes }: Foreseen, facts: Client, under: readonly string[]): Affected | null {
  const { route, client_ip } = facts
  const all = changes.map((one) => byChange(one, facts))
  const through =
    route && under.includes(route.device) ? throughTunnel(client_ip, route.device, route.destination) : null
  return [...all, through].find((one) => one !== null) ?? null
}

function byChange(one: HostChange, facts: Client): Affected | null {
  if (one.noun === 'tunnel') return byTunnel(one.change, facts)
  return one.noun === 'network' ? cutByNetworks(one.change, facts, facts.route) : null
}

const throughTunnel = (client_ip: string, name: string, network: string): Affected => ({
  how: 'through_tunnel',
  detail: message('tunnel.own_access', { client_ip, name, network }),
})

function byTunnel(change: Change<TunnelState>, { client, client_ip, server_ip, route }: Client): Affected | null {
  const name = (change.before ?? change.after)?.interface_name ?? ''
  const addresses = change.before?.link?.config.addresses ?? []
  const cut = cutOf(name, effectOf({ addresses }, change), { client, server_ip }, route)
  if (cut) return { how: cut.how, detail: cutMessage(cut, client_ip, name) }
  const [was, shall] = [change.before?.link?.config.mtu, change.after?.link?.config.mtu]
  const isNarrower = was !== undefined && shall !== undefined && shall < was
  return isNarrower && route?.device === name
    ? { how: 'through_tunnel', detail: message('impact.own_mtu', { client_ip, name }) }
    : null
}
