// What becomes of open connections when the link changes that they go through: the table of decisions.md, I2. Pure.
import type { Fate } from '../api/impact/impact.ts'
import type { RelayRule } from '../ruleset/model.ts'
import { formatCidr } from '../address/ip.ts'
import { isTapKind, type TunnelAddress } from '../tunnel/model.ts'
import { addressNetworks } from '../tunnel/networks.ts'
import type { LinkImpact } from './link.ts'

export interface Flow extends Pick<RelayRule, 'nat_mode' | 'snat_address'> {
  readonly destination: string
  /** The route by which the kernel reaches the destination now; null if it is not known. */
  readonly network: string | null
}

/**
 * The kernel forgets flows behind a masquerade with the link or the address that they left by, and a destination that
 * speaks next finds nobody; not those that have the one address of a tunnel as their source (relay-rules.md). Others go
 * on, unless the far end has to learn a new hardware address first.
 */
export function fateThrough({ effect, was, shall, isReached }: LinkImpact, flow: Flow): Fate {
  if (effect === 'none' || effect === 'made' || effect === 'in_place' || effect === 'header') return 'survive'
  const isReachable = isReached(flow.destination, flow.network)
  if (!shall || isReachable === false) return 'end'
  if (isReachable === null || (effect === 'remade' && isTapKind(shall.config.kind))) return 'at_risk'
  const gone = (was?.config.addresses ?? []).filter(
    ({ address }) => !shall.config.addresses.some((one) => one.address === address),
  )
  if (flow.nat_mode === 'snat') return gone.some(({ address }) => address === flow.snat_address) ? 'at_risk' : 'survive'
  const isOfFamily = ({ address }: TunnelAddress): boolean => isIpv6(address) === isIpv6(flow.destination)
  const isKept = hasOneSource((was?.config.addresses ?? []).filter(isOfFamily))
  const isForgotten = (effect !== 'addresses' && !isKept) || gone.some(isOfFamily)
  return flow.nat_mode === 'masquerade' && isForgotten ? 'at_risk' : 'survive'
}

/** IPv4 addresses of one network are the first of them and its secondaries, by which nothing is sent. */
function hasOneSource(addresses: readonly TunnelAddress[]): boolean {
  const [first] = addresses
  if (!first) return false
  const alike = isIpv6(first.address) ? addresses : new Set(addressNetworks(addresses).map(formatCidr))
  return ('size' in alike ? alike.size : alike.length) === 1
}

const isIpv6 = (address: string): boolean => address.includes(':')
