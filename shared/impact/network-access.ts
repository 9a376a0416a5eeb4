// What a change of networks does to the way of the answers to a client, by the kernel's routing table. Pure.
import { contains, formatCidr, parseCidr, type Ip } from '../address/ip.ts'
import type { Change } from '../change/change.ts'
import { message, type Message } from '../messages/message.ts'
import { carrying } from '../network/canonical.ts'
import { ROUTE_PROTOCOL, type NetworkState, type NetworkStates } from '../network/model.ts'
import type { RoutingEntry } from '../tunnel/observed.ts'

export interface NetworkCut {
  readonly how: 'through_tunnel' | 'route_goes' | 'route_captured'
  readonly network: string
  readonly detail: Message
}

/** `server_ip`: the address of this host that the client's connection was made to. */
interface OwnEnds {
  readonly client: Ip
  readonly client_ip: string
  readonly server_ip: string
}

/** Without a look at the routing table. */
export const mayCutByNetworks = (change: Change<NetworkStates>, { client, server_ip }: OwnEnds): boolean =>
  lostAddresses(change).includes(server_ip) || [...gone(change), ...come(change)].some(holds(client))

/** `route` is the entry by which the kernel answers the client now; null where none is known. */
export function cutByNetworks(
  change: Change<NetworkStates>,
  { client, client_ip, server_ip }: OwnEnds,
  route: RoutingEntry | null,
): NetworkCut | null {
  if (lostAddresses(change).includes(server_ip))
    return {
      how: 'through_tunnel',
      network: `${server_ip}/${server_ip.includes(':') ? 128 : 32}`,
      detail: message('network.own_access_address', { client_ip, address: server_ip }),
    }
  const going = gone(change).find(({ destination }) => isOurs(route) && route?.destination === destination)
  if (going) {
    const network = going.destination
    return { how: 'route_goes', network, detail: message('network.own_access_goes', { client_ip, network }) }
  }
  const longest = parseCidr(route?.destination ?? '')?.prefix_length ?? -1
  const captor = come(change)
    .filter(holds(client))
    .map(({ destination }) => parseCidr(destination))
    .find((network) => network !== null && network.prefix_length > longest)
  if (!captor) return null
  const network = formatCidr(captor)
  return { how: 'route_captured', network, detail: message('network.own_access_captured', { client_ip, network }) }
}

const isOurs = (route: RoutingEntry | null): boolean => route?.protocol === `${ROUTE_PROTOCOL}`

const holds =
  (client: Ip) =>
  ({ destination }: NetworkState): boolean => {
    const network = parseCidr(destination)
    return network !== null && contains(network, client)
  }

const routed = (states: NetworkStates | null): NetworkState[] =>
  (states ?? []).filter(({ paths }) => carrying(paths).length > 0)
const without = (some: readonly NetworkState[], others: readonly NetworkState[]): NetworkState[] =>
  some.filter(({ destination }) => others.every((other) => other.destination !== destination))

const gone = ({ before, after }: Change<NetworkStates>): NetworkState[] => without(routed(before), routed(after))
const come = ({ before, after }: Change<NetworkStates>): NetworkState[] => without(routed(after), routed(before))

const ownAddresses = (states: NetworkStates | null): string[] =>
  (states ?? []).flatMap(({ own_addresses }) => own_addresses)
const lostAddresses = ({ before, after }: Change<NetworkStates>): string[] => {
  const kept = ownAddresses(after)
  return ownAddresses(before).filter((address) => !kept.includes(address))
}
