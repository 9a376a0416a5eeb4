// The kernel's numbers about a link in the words of the model.
import type { HostInterface, ObservedLink } from '@panel/shared/tunnel/observed.ts'
import { formatCidr, type RawAddress } from '../../netlink/address.ts'
import * as k from '../../netlink/constants.ts'
import { addressText, type RawLink } from '../../netlink/link.ts'

/** Names of ifi_flags as `ip` prints them: NO-CARRIER is UP without RUNNING, and RUNNING itself is not printed. */
export function flagNames(flags: number): string[] {
  const noCarrier = flags & k.IFF_UP && !(flags & k.IFF_RUNNING) ? ['NO-CARRIER'] : []
  return [...noCarrier, ...k.IFF_NAMES.filter(([bit]) => flags & bit).map(([, name]) => name)]
}

const TUNNEL_KINDS = new Set(
  'gre gretap erspan ip6gre ip6gretap ip6erspan sit ipip ip6tnl vti vti6 xfrm wireguard tun ovpn vxlan geneve bareudp gtp'.split(
    ' ',
  ),
)

function interfaceClass(link: RawLink): HostInterface['class'] {
  if (link.flags & k.IFF_LOOPBACK) return 'loopback'
  if (TUNNEL_KINDS.has(link.kind)) return 'tunnel'
  return link.kind === '' ? 'physical' : 'other'
}

// On the other types the "hardware address" is an IP address or nothing.
const WITH_HARDWARE_ADDRESS: readonly number[] = [k.ARPHRD_ETHER, k.ARPHRD_INFINIBAND, k.ARPHRD_LOOPBACK]

function hardwareAddress({ hardwareType, hardwareAddress: bytes }: RawLink): string {
  return WITH_HARDWARE_ADDRESS.includes(hardwareType) ? addressText(bytes) : ''
}

/** What is shown of every link on the host, of the panel or not. */
export function liveSide(
  link: RawLink,
  addresses: readonly RawAddress[],
): Omit<ObservedLink, 'local_endpoint' | 'remote_endpoint' | 'statistics'> {
  return {
    kind: link.kind,
    index: link.index,
    mtu: link.mtu,
    is_up: (link.flags & k.IFF_UP) !== 0,
    is_lower_up: (link.flags & k.IFF_LOWER_UP) !== 0,
    oper_state: k.IF_OPER_NAMES[link.operState] ?? 'UNKNOWN',
    flags: flagNames(link.flags),
    addresses: addresses.map(formatCidr),
  }
}

export const hostInterface = (
  link: RawLink,
  addresses: readonly RawAddress[],
  settings: Pick<HostInterface, 'bridge' | 'forwards_ipv4' | 'rp_filter'>,
): HostInterface => ({
  ...liveSide(link, addresses),
  name: link.name,
  hardware_addr: hardwareAddress(link),
  statistics: link.counters,
  class: interfaceClass(link),
  ...settings,
})
