// One spelling for each state, so that two descriptions of the same host compare equal as text.
import { canonicalIp, compareIp, parseIp } from '../address/ip.ts'
import {
  isIpv6Kind,
  isMulticast,
  type Keepalive,
  type LinkConfig,
  type Saved,
  type TunnelAddress,
  type TunnelState,
} from './model.ts'

/** Throws a RangeError where a string that should be an address is none. */
export function canonicalTunnel(state: TunnelState | null): TunnelState | null {
  const saved = canonicalSaved(state?.saved ?? null)
  if (!state || (!state.link && !saved)) return null
  const link = state.link && { is_up: state.link.is_up, config: canonicalConfig(state.link.config) }
  const answers = state.answers && { is_whole: state.answers.is_whole }
  return { interface_name: state.interface_name, link, saved, ...(answers && { answers }) }
}

function canonicalSaved(saved: Saved | null): Saved | null {
  if (!saved) return null
  const canonical: Saved = {
    systemd_unit: canonicalUnit(saved.systemd_unit, canonicalConfig),
    systemd_keepalive_unit: canonicalKeepaliveUnit(saved.systemd_keepalive_unit),
    networkd_netdev: saved.networkd_netdev && canonicalNetdev(saved.networkd_netdev),
    networkd_network: saved.networkd_network && canonicalNetwork(saved.networkd_network),
  }
  return Object.values(canonical).every((file) => file === null) ? null : canonical
}

/** A unit that is neither enabled nor there is none. */
function canonicalUnit<C>(unit: { is_enabled: boolean; config: C | null } | null, canonicalFile: (config: C) => C) {
  if (!unit || (!unit.is_enabled && !unit.config)) return null
  return { is_enabled: unit.is_enabled, config: unit.config && canonicalFile(unit.config) }
}

function canonicalKeepaliveUnit(unit: Saved['systemd_keepalive_unit']): Saved['systemd_keepalive_unit'] {
  const canonical = canonicalUnit(unit, canonicalKeepalive)
  return canonical && unit?.is_stopped ? { ...canonical, is_stopped: true } : canonical
}

/**
 * A state is never gone back to with a keepalive that was stopped in it, or with answers of which something was missing:
 * whatever leads there starts them.
 */
export const wished = ({ answers, ...state }: TunnelState): TunnelState => ({
  ...withKeepaliveRunning(state),
  ...(answers && { answers: { is_whole: true } }),
})

function withKeepaliveRunning(state: TunnelState): TunnelState {
  const unit = state.saved?.systemd_keepalive_unit
  if (!state.saved || !unit?.is_stopped) return state
  const { is_stopped: _, ...running } = unit
  return { ...state, saved: { ...state.saved, systemd_keepalive_unit: running } }
}

export function canonicalNetdev({
  is_enabled,
  config,
}: NonNullable<Saved['networkd_netdev']>): NonNullable<Saved['networkd_netdev']> {
  const { is_multicast: _given, addresses: _none, ...born } = canonicalConfig({ ...config, addresses: [] })
  return { is_enabled, config: born }
}

export const canonicalNetwork = ({
  is_enabled,
  config,
}: NonNullable<Saved['networkd_network']>): NonNullable<Saved['networkd_network']> => ({
  is_enabled,
  config: {
    ...(config.is_multicast !== undefined && { is_multicast: config.is_multicast }),
    addresses: canonicalAddresses(config.addresses),
  },
})

export const canonicalKeepalive = ({ target_address, interval_seconds, packet_size }: Keepalive): Keepalive => ({
  target_address: canonicalIp(target_address),
  interval_seconds,
  packet_size,
})

export function canonicalConfig(config: LinkConfig): LinkConfig {
  const overIpv6 = isIpv6Kind(config.kind)
  return {
    kind: config.kind,
    local_endpoint: canonicalIp(config.local_endpoint),
    remote_endpoint: canonicalIp(config.remote_endpoint),
    bind_device: config.bind_device,
    ikey: config.ikey,
    okey: config.okey,
    has_input_checksum: config.has_input_checksum,
    has_output_checksum: config.has_output_checksum,
    has_input_sequence: config.has_input_sequence,
    has_output_sequence: config.has_output_sequence,
    ttl: config.ttl,
    tos: canonicalTos(config.tos, overIpv6),
    is_path_mtu_discovery: config.is_path_mtu_discovery && !overIpv6,
    is_ignore_df: config.is_ignore_df && !overIpv6,
    encap_limit: overIpv6 ? config.encap_limit : null,
    flow_label: overIpv6 ? config.flow_label : 0,
    fwmark: config.fwmark,
    mtu: config.mtu,
    tx_queue_length: config.tx_queue_length,
    ...(isMulticast(config) !== isMulticast({ kind: config.kind }) && { is_multicast: isMulticast(config) }),
    addresses: canonicalAddresses(config.addresses),
  }
}

/** The IPv4 driver keeps "inherit" as the value 1, so the two are one state. */
function canonicalTos(tos: string, overIpv6: boolean): string {
  if (tos === 'inherit' || (Number(tos) === 1 && !overIpv6)) return 'inherit'
  return `0x${Number(tos).toString(16).padStart(2, '0')}`
}

const keyOf = (a: TunnelAddress): string => `${a.address} ${a.peer_address} ${a.prefix_length}`

function canonicalAddresses(addresses: readonly TunnelAddress[]): TunnelAddress[] {
  const canonical = addresses.map(canonicalAddress)
  const unique = [...new Map(canonical.map((a) => [keyOf(a), a])).values()]
  return unique.sort(
    (a, b) =>
      compareIp(ip(a), ip(b)) || a.prefix_length - b.prefix_length || (a.peer_address < b.peer_address ? -1 : 1),
  )
}

/** A peer that is the address itself is no peer: the kernel reports both the same. */
export function canonicalAddress(a: TunnelAddress): TunnelAddress {
  const address = canonicalIp(a.address)
  const peer = a.peer_address === '' ? '' : canonicalIp(a.peer_address)
  return { address, peer_address: peer === address ? '' : peer, prefix_length: a.prefix_length }
}

function ip(a: TunnelAddress) {
  const parsed = parseIp(a.address)
  if (!parsed) throw new RangeError(a.address)
  return parsed
}
