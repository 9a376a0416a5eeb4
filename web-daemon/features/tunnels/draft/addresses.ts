// The addresses inside a tunnel as an operator gives them: well formed, nobody else's, and not at odds with the routing table.
import {
  bitsOf,
  compareIp,
  contains,
  formatCidr,
  formatIp,
  enclosingNetwork,
  overlaps,
  parseIp,
  networkSize,
  type Cidr,
  type Ip,
} from '@panel/shared/address/ip.ts'
import {
  isLinkLocal,
  isLoopback,
  isMulticast,
  isPublicRange,
  isReserved,
  isUnspecified,
} from '@panel/shared/address/special.ts'
import type { TunnelAddressBody } from '@panel/shared/api/tunnels.ts'
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { particularRoutes } from '../facts.ts'
import { familyIdOf, type NewAddress } from '../record.ts'
import { addressesOf, networksOf } from './networks.ts'
import type { Ends } from './ends.ts'
import { warn, type Sketch } from './sketch.ts'

export function draftAddresses(sketch: Sketch, given: readonly TunnelAddressBody[], ends: Ends): NewAddress[] {
  const drafted = given.map((body, at) => oneAddress(sketch, body, `addresses.${at}`))
  drafted.forEach((address, at) => {
    if (!address) return
    checkTwins(sketch, drafted.slice(0, at), address, at)
    checkOwners(sketch, address, `addresses.${at}.address`)
    checkNetworks(sketch, networksOf([address]), ends, `addresses.${at}.address`)
  })
  return inOrder(
    drafted.filter((address) => address !== null),
    given.findIndex((body) => body.is_primary === true),
  )
}

export const inOrder = (addresses: readonly TunnelAddress[], primary = 0): NewAddress[] =>
  addresses.map((a, at) => ({
    ...a,
    address_family_id: familyIdOf(a.address),
    is_primary: at === Math.max(primary, 0),
    sort_order: at,
  }))

/** Null where it has a problem. */
function oneAddress(sketch: Sketch, body: TunnelAddressBody, field: string): TunnelAddress | null {
  const { problems } = sketch
  const kept = storedTwin(sketch, body)
  if (kept) return kept
  const own = readable(sketch, body.address, `${field}.address`)
  const peer = body.peer_address ? readable(sketch, body.peer_address, `${field}.peer_address`) : null
  if (own && body.prefix_length > bitsOf(own.family))
    problems.add(
      `${field}.prefix_length`,
      'INVALID_PREFIX_LENGTH',
      `prefix_length must be at most ${bitsOf(own.family)} for an IPv${own.family} address.`,
    )
  else if (own && isEdge(own, body.prefix_length) && !peer)
    problems.add(
      `${field}.address`,
      'INVALID_ADDRESS',
      `${body.address} is the network or broadcast address of its /${body.prefix_length}.`,
    )
  if (own && peer && own.family !== peer.family)
    problems.add(`${field}.peer_address`, 'INVALID_ADDRESS', 'peer_address must be of the same family as address.')
  if (own && peer && own.family === peer.family && compareIp(own, peer) === 0)
    problems.add(`${field}.peer_address`, 'INVALID_ADDRESS', 'peer_address must be another address than address.')
  if (!own || problems.has(field)) return null
  return { address: formatIp(own), peer_address: peer ? formatIp(peer) : '', prefix_length: body.prefix_length }
}

/** What the tunnel has already is not judged by its form again: an adopted link may have what the panel would not give it. */
function storedTwin(
  { stored }: Sketch,
  { address, peer_address = '', prefix_length }: TunnelAddressBody,
): TunnelAddress | null {
  const twin = stored?.addresses.find(
    (a) => a.address === address && a.peer_address === peer_address && a.prefix_length === prefix_length,
  )
  return twin ? { address, peer_address, prefix_length } : null
}

function readable({ problems }: Sketch, text: string, field: string): Ip | null {
  const ip = parseIp(text)
  const refused = ip ? unfit(ip) : 'is not an IP address'
  if (refused !== null) problems.add(field, 'INVALID_ADDRESS', `${text} ${refused}.`)
  return refused === null ? ip : null
}

function unfit(ip: Ip): string | null {
  if (isUnspecified(ip) || isMulticast(ip) || isReserved(ip)) return 'is no address that one end can have'
  if (isLoopback(ip)) return 'is a loopback address'
  if (isLinkLocal(ip)) return 'is link-local: the kernel sees to such addresses itself'
  return null
}

function isEdge(ip: Ip, prefix_length: number): boolean {
  if (ip.family === 6 || prefix_length > 30) return false
  const { base } = enclosingNetwork(ip, prefix_length)
  return ip.value === base.value || ip.value === base.value + networkSize({ base, prefix_length }) - 1n
}

function checkTwins(
  { problems }: Sketch,
  earlier: readonly (TunnelAddress | null)[],
  address: TunnelAddress,
  at: number,
): void {
  if (earlier.some((other) => other?.address === address.address))
    problems.add(`addresses.${at}.address`, 'ADDRESS_CONFLICT', `${address.address} is given twice.`)
}

function checkOwners({ facts, neighbours, problems }: Sketch, { address }: TunnelAddress, field: string): void {
  const owner = neighbours.find((n) => n.addresses.some((a) => a.address === address))
  if (owner)
    problems.add(field, 'ADDRESS_CONFLICT', `${owner.interface_name} has the address ${address}.`, {
      tunnel_id: owner.tunnel_id,
    })
  const holder = facts.held.find(({ ip }) => formatIp(ip) === address)
  if (holder && !owner)
    problems.add(field, 'ADDRESS_CONFLICT', `The interface ${holder.device} of this server has the address ${address}.`)
}

/** `networks` are what the routing table will send into the tunnel. */
export function checkNetworks(sketch: Sketch, networks: readonly Cidr[], { remote }: Ends, field: string): void {
  const { problems } = sketch
  for (const network of networks) {
    if (remote && contains(network, remote))
      problems.add(
        field,
        'INVALID_ADDRESS',
        `${formatCidr(network)} holds the remote endpoint: the tunnel would carry itself.`,
      )
    if (isPublicRange(network)) warnOfPublicRange(sketch, network, field)
    if (!problems.has(field)) checkRoutes(sketch, network, field)
  }
}

export function warnOfPublicRange(sketch: Sketch, network: Cidr, field: string): void {
  warn(
    sketch,
    'PUBLIC_RANGE_WARNING',
    field,
    `${formatCidr(network)} is a public range: its owner cannot be reached while the tunnel is up.`,
  )
}

/** A route within the network is robbed of its traffic; a wider one only loses a part that the operator means to have. */
function checkRoutes(sketch: Sketch, network: Cidr, field: string): void {
  const rival = rivalOf(sketch, network)
  if (!rival) return
  const said = `${formatCidr(network)} overlaps ${rival.words}`
  if (rival.isWider || sketch.body.force === true) warn(sketch, 'ROUTE_OVERLAP_WARNING', field, `${said}.`)
  else sketch.problems.add(field, 'ROUTE_OVERLAP', `${said}. Set force to go on all the same.`)
}

function rivalOf({ facts, neighbours, settings }: Sketch, network: Cidr): { words: string; isWider: boolean } | null {
  const owner = neighbours.find((n) => networksOf(n.addresses).some((other) => overlaps(other, network)))
  if (owner)
    return { words: `the addresses of ${owner.interface_name}: ${addressesOf(owner.addresses)}`, isWider: false }
  const routes = (settings.get('addressing.check_route_overlap') ? particularRoutes(facts) : []).filter((route) =>
    overlaps(route.network, network),
  )
  const inside = routes.find((route) => route.network.prefix_length >= network.prefix_length)
  const route = inside ?? routes[0]
  return route
    ? { words: `the route to ${route.entry.destination} by ${route.entry.device || 'no device'}`, isWider: !inside }
    : null
}
