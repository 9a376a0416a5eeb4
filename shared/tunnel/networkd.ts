// A saved tunnel as the two files of systemd-networkd: .netdev makes the link, .network gives it addresses and brings
// it up (systemd.netdev(5), systemd.network(5)).
import { canonicalNetdev, canonicalNetwork } from './canonical.ts'
import { hardwareAddress } from './hardware-address.ts'
import { networkdLimits } from './networkd-limits.ts'
import { isIpv6Kind, LINK_KINDS, type NetdevConfig, type Saved, type TunnelAddress } from './model.ts'
import { fileMark } from './mark.ts'

/**
 * A name alone also matches a network card of which it is, or comes to be, an alternative name (systemd.network(5)).
 */
const OF_TUNNELS = `Kind=${LINK_KINDS.join(' ')}`

/** Never true: so a disabled tunnel is not made at boot. */
const NEVER = ['[Match]', 'Host=!*', '']

/** Throws a RangeError where networkd has no words for something in `config`: such a file would lose it in silence. */
export function renderNetdev(interface_name: string, file: NonNullable<Saved['networkd_netdev']>): string {
  const { is_enabled, config } = canonicalNetdev(file)
  const [limit] = networkdLimits(interface_name, config)
  if (limit)
    throw new RangeError(`systemd-networkd cannot keep ${limit.field} of ${interface_name}: ${limit.why.message}`)
  return renderSections(
    fileMark({ is_enabled, config }),
    ...(is_enabled ? [] : NEVER),
    '[NetDev]',
    `Description=Tunnel ${interface_name} to ${config.remote_endpoint} (kept by tunnel-panel)`,
    `Name=${interface_name}`,
    `Kind=${config.kind}`,
    `MTUBytes=${config.mtu}`,
    ...macAddress(hardwareAddress(interface_name, config)),
    '',
    '[Tunnel]',
    'Independent=yes',
    `Local=${config.local_endpoint}`,
    `Remote=${config.remote_endpoint}`,
    `TTL=${config.ttl}`,
    ...(config.ikey === null ? [] : [`InputKey=${config.ikey}`]),
    ...(config.okey === null ? [] : [`OutputKey=${config.okey}`]),
    ...(isIpv6Kind(config.kind) ? overIpv6(config) : overIpv4(config)),
  )
}

/**
 * The file for networkd. A disabled tunnel has a link that stays down, with its addresses: taken from under networkd, a
 * link would lose them.
 */
export function renderNetwork(interface_name: string, file: NonNullable<Saved['networkd_network']>): string {
  const { is_enabled, config } = canonicalNetwork(file)
  return renderSections(
    fileMark({ is_enabled, config }),
    '[Match]',
    `Name=${interface_name}`,
    OF_TUNNELS,
    '',
    '[Link]',
    `ActivationPolicy=${is_enabled ? 'up' : 'down'}`,
    'RequiredForOnline=no',
    ...(config.is_multicast === undefined ? [] : [`Multicast=${yesNo(config.is_multicast)}`]),
    '',
    '[Network]',
    'LinkLocalAddressing=ipv6',
    'IPv6AcceptRA=no',
    'ConfigureWithoutCarrier=yes',
    // Addresses that an administrator added by hand survive a restart of networkd.
    'KeepConfiguration=yes',
    ...config.addresses.flatMap(addressSection),
  )
}

const macAddress = (address: string | null): string[] => (address === null ? [] : [`MACAddress=${address}`])

const renderSections = (...lines: string[]): string => `${lines.join('\n')}\n`

// The driver takes 1 for "inherit" (linux/net/ipv4/ip_tunnel.c), and networkd hands the number on.
const overIpv4 = (config: NetdevConfig): string[] => [
  `TOS=${config.tos === 'inherit' ? 1 : Number(config.tos)}`,
  `DiscoverPathMTU=${yesNo(config.is_path_mtu_discovery)}`,
  `IgnoreDontFragment=${yesNo(config.is_ignore_df)}`,
  `SerializeTunneledPackets=${yesNo(config.has_input_sequence)}`,
]

const overIpv6 = (config: NetdevConfig): string[] => [
  `IPv6FlowLabel=${config.flow_label}`,
  ...(config.encap_limit === null ? ['EncapsulationLimit=none'] : []),
]

function addressSection({ address, peer_address, prefix_length }: TunnelAddress): string[] {
  const isIpv4 = !address.includes(':')
  return [
    '',
    '[Address]',
    `Address=${address}/${prefix_length}`,
    ...(peer_address === '' ? [] : [`Peer=${peer_address}/${prefix_length}`]),
    // Left to itself networkd makes one up where the network is large enough.
    ...(isIpv4 && peer_address === '' ? ['Broadcast=no'] : []),
  ]
}

const yesNo = (flag: boolean): string => (flag ? 'yes' : 'no')
