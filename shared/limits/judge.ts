// Why something new is beyond the limits of this host: the same for root, which refuses it, and for a draft, which names
// the field. Null where it is within them.
import {
  bitsOf,
  addressIn,
  formatCidr,
  formatIp,
  overlaps,
  parseCidr,
  parseIp,
  type Cidr,
  type Ip,
} from '../address/ip.ts'
import { isLinkLocal, isLoopback, NOT_FOR_HOSTS } from '../address/special.ts'
import { message, type Message } from '../messages/message.ts'
import { isWildcard } from '../ruleset/canonical.ts'
import type { RelayRule } from '../ruleset/model.ts'
import type { NetworkState } from '../network/model.ts'
import { SHORTEST_PREFIX } from '../tunnel/address-rules.ts'
import { LINK_KINDS, type TunnelAddress } from '../tunnel/model.ts'
import { addressNetworks } from '../tunnel/networks.ts'
import type { HostInterface } from '../tunnel/observed.ts'
import {
  forbiddenBy,
  isMarkAllowed,
  outsideOf,
  protectedIn,
  reservedBy,
  sizeOf,
  type Owner,
  type OwnPorts,
  type ProtectedPort,
} from './entries.ts'
import { commandThatAllows } from './file.ts'
import type { Drawn, Limits, LimitsFound } from './model.ts'

export type Allowed = Pick<LimitsFound, 'path' | 'limits'>
type Why = Message | null

const beyond = ({ path }: Allowed, why: Message, command: string): Message =>
  message('limits.beyond', { why, path, command })

export function whyNoName(allowed: Allowed, name: string): Why {
  const by = reservedBy(allowed.limits, name)
  return by === null ? null : beyond(allowed, message('limits.name', { name, by }), commandThatAllows('name', name))
}

/** The end that a rule leads to; `isOwn`: the address is one of this host. */
export interface Led {
  readonly protocol: RelayRule['protocol']
  readonly address: string
  readonly isOwn: boolean
  readonly first: number
  readonly last: number
}

export function destinationLimit(allowed: Allowed, own: OwnPorts): (led: Led) => Why {
  const whyNot = limitOf(allowed, 'limits.destination')
  return ({ protocol, address, isOwn, first, last }) => {
    const ip = parseIp(address)
    if (!ip) return null
    const ports = ownFor(protocol, own)
    const isLed = (owner: Owner): boolean => ports[owner].some((port) => port >= first && port <= last)
    return whyNot(ip, isOwn || isLoopback(ip) ? ((['panel', 'sshd'] as const).find(isLed) ?? null) : null)
  }
}

const ownFor = (protocol: RelayRule['protocol'], own: OwnPorts): OwnPorts =>
  protocol === 'udp' ? { sshd: [], panel: [] } : own

/** A link-local far end is a neighbour on the device of the tunnel. */
export const whyNoFarEnd = (allowed: Allowed, ip: Ip): Why =>
  ip.family === 6 && isLinkLocal(ip) ? null : limitOf(allowed, 'limits.far_end')(ip, null)

function limitOf(
  allowed: Allowed,
  sentence: 'limits.destination' | 'limits.far_end',
): (ip: Ip, owner: Owner | null) => Why {
  const by = forbiddenBy(allowed.limits)
  return (ip, owner) => {
    const [entry, address] = [by(ip, owner), formatIp(ip)]
    if (entry === null) return null
    const command = commandThatAllows('destination', entry === owner ? entry : address)
    return beyond(allowed, message(sentence, { address, by: entry }), command)
  }
}

export function whyNoMark(allowed: Allowed, fwmark: number | null): Why {
  if (fwmark === null || isMarkAllowed(allowed.limits, fwmark)) return null
  const mark = `0x${fwmark.toString(16)}`
  return beyond(allowed, message('limits.mark', { mark }), commandThatAllows('mark', mark))
}

/** The panel's own and sshd's for TCP alone, and the ports that the file names for UDP too. */
export function portLimit(
  allowed: Allowed,
  own: OwnPorts,
  { protocol, first, last }: Pick<Led, 'protocol' | 'first' | 'last'>,
): (ProtectedPort & { readonly why: Message }) | null {
  const found = protectedIn(allowed.limits, ownFor(protocol, own), first, last)
  if (!found) return null
  const { port, by } = found
  return { ...found, why: beyond(allowed, message('limits.port', { port, by }), commandThatAllows('port', port)) }
}

export function whyNoPairs(
  allowed: Allowed,
  rule: { readonly allowed_sources: readonly unknown[]; readonly destinations: readonly unknown[] },
): Why {
  const { rule_pairs: most } = allowed.limits
  const count = rule.allowed_sources.length * rule.destinations.length
  if (count <= most) return null
  return beyond(allowed, message('limits.rule_pairs', { count, most }), commandThatAllows('rule_pairs', count))
}

const NETWORK_SUMS = ['tunnel_public_addresses', 'tunnel_public_subnets', 'tunnel_addresses', 'tunnel_subnets'] as const
const SENTENCES = {
  tunnel_public_addresses: 'limits.tunnel_public_addresses',
  tunnel_public_subnets: 'limits.tunnel_public_subnets',
  tunnel_addresses: 'limits.tunnel_addresses',
  tunnel_subnets: 'limits.tunnel_subnets',
  tunnels: 'limits.tunnels',
  rules: 'limits.rules',
} as const
type Sum = keyof typeof SENTENCES
const SUMS = Object.keys(SENTENCES) as Sum[]
export type Sums = Readonly<Record<Sum, number>>
type NetworkSums = Pick<Sums, (typeof NETWORK_SUMS)[number]>

/**
 * Over tunnels, each by its addresses; networks that one tunnel has twice, live and in a file, count once. And over what
 * lies behind tunnels, but for what root allows to be wide.
 */
export function networkSums(
  limits: Limits,
  tunnels: Iterable<readonly TunnelAddress[]>,
  behind: Iterable<Pick<NetworkState, 'destination'>> = [],
): NetworkSums {
  const [outside, unlisted] = [outsideOf(limits.tunnel_networks), outsideOf(limits.wide_networks)]
  const sums = { tunnel_public_addresses: 0, tunnel_public_subnets: 0, tunnel_addresses: 0, tunnel_subnets: 0 }
  const count = (network: Cidr): void => {
    const [all, open] =
      network.base.family === 4
        ? (['tunnel_addresses', 'tunnel_public_addresses'] as const)
        : (['tunnel_subnets', 'tunnel_public_subnets'] as const)
    sums[all] += sizeOf(network)
    sums[open] += outside(network)
  }
  for (const addresses of tunnels) {
    const networks = new Map(addressNetworks(addresses).map((network) => [formatCidr(network), network]))
    for (const network of networks.values()) count(network)
  }
  for (const { destination } of behind) {
    const network = parseCidr(destination)
    if (network && unlisted(network) > 0) count(network)
  }
  return sums
}

/** The tunnels that draw public addresses to this host, and how many each. */
export const drawnBy = (limits: Limits, tunnels: ReadonlyMap<string, readonly TunnelAddress[]>): Drawn[] =>
  [...tunnels].flatMap(([interface_name, addresses]) => {
    const { tunnel_public_addresses, tunnel_public_subnets } = networkSums(limits, [addresses])
    return tunnel_public_addresses + tunnel_public_subnets > 0
      ? [{ interface_name, public_addresses: tunnel_public_addresses, public_subnets: tunnel_public_subnets }]
      : []
  })

/** Null for a change that makes no sum larger, so that there is a way back from any that is too large. */
export function whySum(allowed: Allowed, before: Partial<Sums>, after: Partial<Sums>): Why {
  const grown = SUMS.find((sum) => {
    const count = after[sum] ?? 0
    return count > allowed.limits[sum] && count > (before[sum] ?? 0)
  })
  if (grown === undefined) return null
  const count = after[grown] ?? 0
  const why = message(SENTENCES[grown], { count, most: allowed.limits[grown] })
  return beyond(allowed, why, commandThatAllows(grown, count))
}

/** A network behind tunnels that is wider than any of a tunnel itself needs root's word. */
export function whyNoNetwork(allowed: Allowed, network: Cidr): Why {
  if (outsideOf(allowed.limits.wide_networks)(network) === 0) return null
  const { family } = network.base
  const text = formatCidr(network)
  const special = NOT_FOR_HOSTS.find((one) => overlaps(one, network))
  if (network.prefix_length >= SHORTEST_PREFIX[family])
    return special ? message('limits.network_special', { network: text, special: formatCidr(special) }) : null
  const why = message('limits.network_wide', { network: text, prefix_length: SHORTEST_PREFIX[family] })
  return beyond(allowed, why, commandThatAllows('wide_network', text))
}

/** Addresses that networks behind tunnels bring to this host. */
export function whyNoOwnAddress(allowed: Allowed, address: Cidr): Why {
  if (outsideOf(allowed.limits.tunnel_networks)(address) === 0) return null
  const text = formatIp(address.base)
  return beyond(allowed, message('limits.own_address', { address: text }), commandThatAllows('network', text))
}

/** Whether an address lies in none of the networks that belong to tunnels. */
export function isForeign(limits: Limits, address: string): boolean {
  const base = parseIp(address)
  return base !== null && outsideOf(limits.tunnel_networks)({ base, prefix_length: bitsOf(base.family) }) > 0
}

/**
 * The far end of a tunnel decides what comes to an address that the tunnel brings to this host; and what this host sends
 * itself must not go to a rule.
 */
export function whyNoListener(allowed: Allowed, rule: Listens, tunnels: Iterable<Bringing>): Why {
  for (const { name, addresses } of tunnels) {
    const open = addresses.map(addressIn).find((one) => isMetBy(rule, one) && isForeign(allowed.limits, one))
    if (open === undefined) continue
    return beyond(allowed, message('limits.listener', { address: open, name }), commandThatAllows('network', open))
  }
  return null
}

/** The same where the rule was there first. */
export function whyListened(allowed: Allowed, rules: Iterable<RelayRule>, addresses: readonly string[]): Why {
  const open = addresses.filter((address) => isForeign(allowed.limits, address))
  if (open.length === 0) return null
  for (const rule of rules) {
    const address = open.find((one) => isMetBy(rule, one))
    if (address === undefined) continue
    const why = message('limits.listened', { address, number: rule.route_rule_id })
    return beyond(allowed, why, commandThatAllows('network', address))
  }
  return null
}

/** A tunnel, and the addresses that it brings to this host. */
export type Bringing = Pick<HostInterface, 'name' | 'addresses'>
export const tunnelsAmong = (interfaces: Iterable<HostInterface>): Bringing[] =>
  [...interfaces].filter(({ kind }) => (LINK_KINDS as readonly string[]).includes(kind))

type Listens = Pick<RelayRule, 'bind_address' | 'is_include_local_originated'>

/** A wildcard that relays nothing of this host itself only meets what comes in by an interface. */
const isMetBy = ({ bind_address, is_include_local_originated: is_local }: Listens, address: string): boolean =>
  isWildcard(bind_address) ? is_local && address.includes(':') === bind_address.includes(':') : address === bind_address
