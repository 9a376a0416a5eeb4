// Validates the given addresses of a tunnel: form, conflicts with other tunnels and interfaces, and with the routing
// table.
import {
  bitsOf,
  compareIp,
  contains,
  formatCidr,
  formatIp,
  overlaps,
  parseIp,
  type Cidr,
  type Ip,
} from '@panel/shared/address/ip.ts'
import { isPublicRange } from '@panel/shared/address/special.ts'
import type { TunnelAddressBody } from '@panel/shared/api/tunnels/addresses.ts'
import {
  isEdge,
  keptIn,
  SHORTEST_PREFIX,
  whyNoTunnelAddress,
  whyNoTunnelNetwork,
  type Kept,
} from '@panel/shared/tunnel/address-rules.ts'
import type { TunnelAddress } from '@panel/shared/tunnel/model.ts'
import { addressNetworks, formatAddresses } from '@panel/shared/tunnel/networks.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { particularRoutes } from '../facts.ts'
import { familyIdOf, type NewAddress } from '../record.ts'
import type { Ends } from './ends.ts'
import { warn, type DraftContext } from './context.ts'

export function draftAddresses(draft: DraftContext, given: readonly TunnelAddressBody[], ends: Ends): NewAddress[] {
  const drafted = given.map((body, at) => oneAddress(draft, body, `addresses.${at}`))
  drafted.forEach((address, at) => {
    if (!address) return
    checkDuplicates(draft, drafted.slice(0, at), address, at)
    checkOwners(draft, address, `addresses.${at}.address`)
    checkNetworks(draft, addressNetworks([address]), ends, `addresses.${at}.address`)
  })
  const [, second] = given.flatMap(({ is_primary }, at) => (is_primary === true ? [at] : []))
  if (second !== undefined)
    draft.problems.add(`addresses.${second}.is_primary`, 'INVALID_VALUE', message('tunnel.one_primary'))
  return inOrder(
    drafted.filter((address) => address !== null),
    given.map(({ is_primary }) => is_primary === true).indexOf(true),
  )
}

export function inOrder(addresses: readonly TunnelAddress[], primary = 0): NewAddress[] {
  return addresses.map((a, at) => ({
    ...a,
    address_family_id: familyIdOf(a.address),
    is_primary: at === Math.max(primary, 0),
    sort_order: at,
  }))
}

/** Null if it has a problem. */
function oneAddress(draft: DraftContext, body: TunnelAddressBody, field: string): TunnelAddress | null {
  const { problems } = draft
  const unchanged = unchangedAddress(draft, body)
  if (unchanged) return unchanged
  const own = parseAddress(draft, body.address, `${field}.address`)
  const peer = body.peer_address ? parseAddress(draft, body.peer_address, `${field}.peer_address`) : null
  if (own && (body.prefix_length > bitsOf(own.family) || body.prefix_length < SHORTEST_PREFIX[own.family]))
    problems.add(
      `${field}.prefix_length`,
      'INVALID_PREFIX_LENGTH',
      message('tunnel.prefix_length', {
        field: 'prefix_length',
        least: SHORTEST_PREFIX[own.family],
        most: bitsOf(own.family),
        family: own.family,
      }),
    )
  else if (own && isEdge(own, body.prefix_length) && !peer)
    problems.add(
      `${field}.address`,
      'INVALID_ADDRESS',
      message('tunnel.edge_of_prefix', { address: body.address, prefix_length: body.prefix_length }),
    )
  if (own && peer && own.family !== peer.family)
    problems.add(
      `${field}.peer_address`,
      'INVALID_ADDRESS',
      message('tunnel.peer_family', { field: 'peer_address', other_field: 'address' }),
    )
  if (own && peer && own.family === peer.family && compareIp(own, peer) === 0)
    problems.add(
      `${field}.peer_address`,
      'INVALID_ADDRESS',
      message('tunnel.endpoints_identical', { field: 'peer_address', other_field: 'address' }),
    )
  if (!own || problems.has(field)) return null
  return { address: formatIp(own), peer_address: peer ? formatIp(peer) : '', prefix_length: body.prefix_length }
}

/**
 * An address that the tunnel has already is not validated again: an adopted link may have one that the panel would
 * refuse.
 */
function unchangedAddress(
  { stored }: DraftContext,
  { address, peer_address = '', prefix_length }: TunnelAddressBody,
): TunnelAddress | null {
  const storedAddress = stored?.addresses.find(
    (a) => a.address === address && a.peer_address === peer_address && a.prefix_length === prefix_length,
  )
  return storedAddress ? { address, peer_address, prefix_length } : null
}

function parseAddress({ problems }: DraftContext, text: string, field: string): Ip | null {
  const ip = parseIp(text)
  const refused = ip ? whyNoTunnelAddress(ip) : message('tunnel.not_ip')
  if (refused !== null) problems.add(field, 'INVALID_ADDRESS', message('tunnel.is', { name: text, reason: refused }))
  return refused === null ? ip : null
}

function checkDuplicates(
  { problems }: DraftContext,
  earlier: readonly (TunnelAddress | null)[],
  address: TunnelAddress,
  at: number,
): void {
  if (earlier.some((other) => other?.address === address.address))
    problems.add(
      `addresses.${at}.address`,
      'ADDRESS_CONFLICT',
      message('tunnel.given_twice', { address: address.address }),
    )
}

function checkOwners({ facts, existing, problems }: DraftContext, { address }: TunnelAddress, field: string): void {
  const owner = existing.find((n) => n.addresses.some((a) => a.address === address))
  if (owner)
    problems.add(field, 'ADDRESS_CONFLICT', message('tunnel.has_address', { tunnel: tunnelNamed(owner), address }), {
      tunnel_id: owner.tunnel_id,
    })
  const holder = facts.held.find(({ ip }) => formatIp(ip) === address)
  if (holder && !owner)
    problems.add(field, 'ADDRESS_CONFLICT', message('tunnel.interface_has_address', { device: holder.device, address }))
}

/** `networks` are those that the routing table will send into the tunnel. */
export function checkNetworks(draft: DraftContext, networks: readonly Cidr[], { remote }: Ends, field: string): void {
  const { problems } = draft
  for (const network of networks) {
    if (remote && contains(network, remote))
      problems.add(field, 'INVALID_ADDRESS', message('tunnel.carries_itself', { network: formatCidr(network) }))
    const reason = whyNoTunnelNetwork(network)
    if (reason !== null && !problems.has(field))
      problems.add(field, 'INVALID_ADDRESS', message('tunnel.is', { name: formatCidr(network), reason }))
    const lost = keptIn(network, keptOn(draft))
    if (lost && !problems.has(field))
      problems.add(
        field,
        'ADDRESS_CONFLICT',
        message('tunnel.takes_kept', { network: formatCidr(network), address: formatIp(lost.ip), what: lost.what }),
      )
    if (isPublicRange(network)) warnOfPublicRange(draft, network, field)
    if (!problems.has(field)) checkRoutes(draft, network, field)
  }
}

/** Root refuses to take the way to them (root-helper/reach.ts), whether forced or not. */
const keptOn = ({ facts }: DraftContext): Kept[] => [
  ...facts.held.map(({ device, ip }) => ({ ip, what: message('tunnel.kept_own', { device }) })),
  ...facts.routes.flatMap(({ entry }) => {
    const ip = parseIp(entry.gateway)
    return ip ? [{ ip, what: message('tunnel.kept_gateway', { device: entry.device }) }] : []
  }),
  ...(facts.limits?.name_servers ?? []).flatMap((text) => {
    const ip = parseIp(text)
    return ip ? [{ ip, what: message('tunnel.kept_resolver') }] : []
  }),
]

export function warnOfPublicRange(draft: DraftContext, network: Cidr, field: string): void {
  warn(draft, 'PUBLIC_RANGE_WARNING', field, message('tunnel.public_range', { network: formatCidr(network) }))
}

/** A more specific or equal route loses its traffic, which is an error; a wider one only loses a part. */
function checkRoutes(draft: DraftContext, network: Cidr, field: string): void {
  const overlap = findOverlap(draft, network)
  if (!overlap) return
  const params = { network: formatCidr(network), what: overlap.description }
  if (overlap.isWider || draft.body.force === true)
    warn(draft, 'ROUTE_OVERLAP_WARNING', field, message('tunnel.overlaps', params))
  else draft.problems.add(field, 'ROUTE_OVERLAP', message('tunnel.overlaps_unless_forced', params))
}

function findOverlap(
  { facts, existing, settings }: DraftContext,
  network: Cidr,
): { description: Message; isWider: boolean } | null {
  const owner = existing.find((n) => addressNetworks(n.addresses).some((other) => overlaps(other, network)))
  if (owner)
    return {
      description: message('tunnel.overlap_tunnel', {
        tunnel: tunnelNamed(owner),
        addresses: formatAddresses(owner.addresses),
      }),
      isWider: false,
    }
  const routes = (settings.get('addressing.check_route_overlap') ? particularRoutes(facts) : []).filter((route) =>
    overlaps(route.network, network),
  )
  const inside = routes.find((route) => route.network.prefix_length >= network.prefix_length)
  const route = inside ?? routes[0]
  return route
    ? {
        description: message('tunnel.overlap_route', {
          destination: route.entry.destination,
          device: route.entry.device || 'none',
        }),
        isWider: !inside,
      }
    : null
}
