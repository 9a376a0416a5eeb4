// What a change of a tunnel does to the way of the answers to a client, by the kernel's routing table. Pure.
import {
  bitsOf,
  contains,
  enclosingNetwork,
  formatCidr,
  parseCidr,
  parseIp,
  type Cidr,
  type Ip,
} from '../address/ip.ts'
import type { Change } from '../change/change.ts'
import { message, type Message } from '../messages/message.ts'
import type { TunnelAddress, TunnelState } from '../tunnel/model.ts'
import { addressNetworks } from '../tunnel/networks.ts'
import type { RoutingEntry } from '../tunnel/observed.ts'
import { planChange } from '../tunnel/plans.ts'

interface Guarded {
  readonly addresses: readonly TunnelAddress[]
}

/** What a change does to the ways that lead over the tunnel. */
export interface Effect {
  /** The link goes, is made again or is taken down, and every route with it. */
  readonly isDown: boolean
  /** The link is up afterwards. */
  readonly stays: boolean
  /** Nothing may pass for a while, though the routes stay: by these addresses. Null where the outer header stays. */
  readonly interrupted: readonly TunnelAddress[] | null
  /** Destinations of the routes that a new link takes along. */
  readonly carried: readonly string[]
  readonly lost: readonly TunnelAddress[]
  readonly gained: readonly Cidr[]
  /** Addresses of a link that stays whose answers leave by it from now on, or no longer, whatever the routes say. */
  readonly answersMove: { readonly into: boolean; readonly of: readonly TunnelAddress[] } | null
}

export function effectOf({ addresses }: Guarded, change: Change<TunnelState>): Effect {
  const { steps } = planChange(change)
  const isDown = steps.some(({ kind }) => kind === 'link_delete' || kind === 'link_down')
  const isHeader = !isDown && steps.some(({ kind }) => kind === 'link_set')
  const removed = steps.flatMap((step) => (step.kind === 'address_remove' ? [step.address] : []))
  const all = [...addresses, ...liveAddresses(change.before)]
  const lost = isDown ? all : removed
  const { is_up: stays = false, routes = [] } = change.after?.link ?? {}
  return {
    isDown,
    stays,
    interrupted: isHeader ? all : null,
    carried: routes.map(({ destination }) => destination),
    lost,
    gained: gainedNetworks(change),
    answersMove: isDown ? null : answersMove(change),
  }
}

function answersMove({ before, after }: Change<TunnelState>): Effect['answersMove'] {
  const [was, into] = [before?.answers !== undefined, after?.answers !== undefined]
  const isUp = before?.link?.is_up === true && after?.link?.is_up === true
  return isUp && was !== into ? { into, of: liveAddresses(before) } : null
}

/** Without a look at the routing table. */
export const mayCut = ({ isDown, interrupted, lost, gained, answersMove: moves }: Effect, client: Ip): boolean =>
  isDown || interrupted !== null || lost.length > 0 || moves !== null || gained.some((one) => contains(one, client))

export interface Cut {
  readonly how: 'through_tunnel' | 'route_goes' | 'route_captured'
  readonly network: Cidr
}

/** `server_ip`: the address of this host that his connection was made to. */
export interface OwnEnds {
  readonly client: Ip
  readonly server_ip: string
}

const CUTS = {
  through_tunnel: 'tunnel.own_access',
  route_goes: 'tunnel.own_access_route',
  route_captured: 'tunnel.own_access_captured',
} as const

export function cutMessage({ how, network }: Cut, client_ip: string, name: string): Message {
  return message(CUTS[how], { client_ip, name, network: formatCidr(network) })
}

/** `route` is the entry by which the kernel answers the client now; null where none is known. */
export function cutOf(
  interface_name: string,
  effect: Effect,
  { client, server_ip }: OwnEnds,
  route: RoutingEntry | null,
): Cut | null {
  const network = route && parseCidr(route.destination)
  const isThrough = route?.device === interface_name
  const silent = [...effect.lost, ...(effect.interrupted ?? [])]
  const reached = silent.filter(({ address }) => address === server_ip)
  const inside = [...addressNetworks(silent).filter((one) => contains(one, client)), ...addressNetworks(reached)][0]
  if (inside) return { how: 'through_tunnel', network: inside }
  if (isThrough && network && isRouteLost(effect, route)) {
    const comesBack = !effect.stays || effect.carried.includes(route.destination)
    return { how: comesBack ? 'through_tunnel' : 'route_goes', network }
  }
  if (isThrough && network && effect.interrupted) return { how: 'through_tunnel', network }
  const moves = effect.answersMove
  // Of a client that is answered by the tunnel's own route, none moves.
  if (moves && !isThrough && moves.of.some(({ address }) => address === server_ip))
    return {
      how: moves.into ? 'route_captured' : 'route_goes',
      network: enclosingNetwork(client, bitsOf(client.family)),
    }
  const longest = network?.prefix_length ?? -1
  const captor = isThrough ? undefined : effect.gained.find((one) => contains(one, client))
  return captor && captor.prefix_length > longest ? { how: 'route_captured', network: captor } : null
}

/**
 * The address at which the panel is reached afterwards, where the change takes the one away that the client's
 * connection was made to: the first new one of its family. Null where it stays, or nothing takes its place.
 */
export function movesTo({ before, after }: Change<TunnelState>, server_ip: string): string | null {
  const had = new Set(liveAddresses(before).map(({ address }) => address))
  const has = after?.link?.is_up ? liveAddresses(after).map(({ address }) => address) : []
  const family = parseIp(server_ip)?.family
  if (!had.has(server_ip) || has.includes(server_ip)) return null
  return has.find((address) => !had.has(address) && parseIp(address)?.family === family) ?? null
}

/** A route goes with the link, with the address that it names as source, and with the network of its gateway. */
function isRouteLost({ isDown, lost }: Effect, { source, gateway }: RoutingEntry): boolean {
  const hop = parseIp(gateway)
  return (
    isDown ||
    lost.some(({ address }) => address === source) ||
    (hop !== null && addressNetworks(lost).some((one) => contains(one, hop)))
  )
}

/** A link that is down has no routes. */
function gainedNetworks({ before, after }: Change<TunnelState>): Cidr[] {
  const had = new Set(addressNetworks(before?.link?.is_up ? liveAddresses(before) : []).map(formatCidr))
  return addressNetworks(after?.link?.is_up ? liveAddresses(after) : []).filter((one) => !had.has(formatCidr(one)))
}

const liveAddresses = (state: TunnelState | null): readonly TunnelAddress[] => state?.link?.config.addresses ?? []
