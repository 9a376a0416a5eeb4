// Arbitrary tunnel states for property tests: canonical, sound, and drawn so that two of them often differ in one thing
// only.
import fc from 'fast-check'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import {
  isIpv6Kind,
  isTapKind,
  LINK_KINDS,
  networkdParts,
  type LinkConfig,
  type LinkKind,
  type NetdevConfig,
  type Saved,
  type TunnelAddress,
  type TunnelState,
} from '@panel/shared/tunnel/model.ts'

const u32 = fc.integer({ min: 0, max: 0xffff_ffff })
const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc
  .tuple(
    fc.integer({ min: 1, max: 223 }).filter((n) => n !== 127),
    byte,
    byte,
    fc.integer({ min: 1, max: 254 }),
  )
  .map((octets) => octets.join('.'))
const ipv6 = fc
  .tuple(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 1, max: 0xffff }))
  .map(([a, b]) => `2001:db8:${a.toString(16)}::${b.toString(16)}`)

const address: fc.Arbitrary<TunnelAddress> = fc.oneof(
  fc.record({ address: ipv4, peer_address: fc.constant(''), prefix_length: fc.constantFrom(24, 30, 31, 32) }),
  fc.record({ address: ipv4, peer_address: ipv4, prefix_length: fc.constant(32) }),
  fc.record({ address: ipv6, peer_address: fc.constant(''), prefix_length: fc.constantFrom(64, 126, 127) }),
)

const tos = fc.oneof(
  fc.constant('inherit'),
  byte.filter((n) => n !== 1).map((n) => `0x${n.toString(16).padStart(2, '0')}`),
)

const configOf = (kind: LinkKind): fc.Arbitrary<LinkConfig> => {
  const endpoint = isIpv6Kind(kind) ? ipv6 : ipv4
  const isPathMtuDiscovery = fc.boolean()
  // Absent is what a link of the kind begins with.
  const multicast = fc.constantFrom({}, { is_multicast: !isTapKind(kind) })
  return (
    fc
      .record({
        kind: fc.constant(kind),
        local_endpoint: endpoint,
        remote_endpoint: endpoint,
        bind_device: fc.constantFrom(null, 'lo'),
        ikey: fc.option(u32),
        okey: fc.option(u32),
        has_input_checksum: fc.boolean(),
        has_output_checksum: fc.boolean(),
        has_input_sequence: fc.boolean(),
        has_output_sequence: fc.boolean(),
        ttl: byte,
        tos,
        is_path_mtu_discovery: isPathMtuDiscovery,
        is_ignore_df: fc.boolean(),
        encap_limit: fc.option(byte),
        flow_label: fc.integer({ min: 0, max: 0xf_ffff }),
        fwmark: fc.option(fc.integer({ min: 1, max: 0xffff_ffff })),
        mtu: fc.integer({ min: 1280, max: 1500 }),
        tx_queue_length: fc.integer({ min: 0, max: 10_000 }),
        multicast,
        addresses: fc.uniqueArray(address, { maxLength: 4, selector: (a) => a.address }),
      })
      .map(({ multicast, ...config }): LinkConfig => ({ ...config, ...multicast }))
      // The kernel refuses the two together: one sets Don't Fragment, the other ignores it (ipgre_netlink_parms,
      // net/ipv4/ip_gre.c).
      .map((config) => (config.is_path_mtu_discovery ? { ...config, is_ignore_df: false } : config))
      .filter((config) => config.local_endpoint !== config.remote_endpoint)
  )
}

export const linkConfig: fc.Arbitrary<LinkConfig> = fc.constantFrom(...LINK_KINDS).chain(configOf)

export const pairOfOneKind: fc.Arbitrary<[LinkConfig, LinkConfig]> = fc
  .constantFrom(...LINK_KINDS)
  .chain((kind) => fc.tuple(configOf(kind), configOf(kind)))

const unitOf = <C>(config: fc.Arbitrary<C>) =>
  fc.option(fc.record({ is_enabled: fc.boolean(), config: fc.option(config, { freq: 4 }) }))
const keepalive = fc.record({
  target_address: ipv4,
  interval_seconds: fc.constantFrom(0.2, 1, 2.5, 3600),
  packet_size: fc.integer({ min: 0, max: 65507 }),
})

/** Brought within what networkd has words for. */
const netdevConfig: fc.Arbitrary<NetdevConfig> = linkConfig.map(
  ({ addresses: _, is_multicast: _multicast, ...config }) => {
    const overIpv6 = isIpv6Kind(config.kind)
    const isNumbered = config.has_input_sequence && !overIpv6
    return {
      ...config,
      bind_device: null,
      ikey: config.ikey === 0 ? null : config.ikey,
      okey: config.okey === 0 ? null : config.okey,
      has_input_checksum: false,
      has_output_checksum: false,
      has_input_sequence: isNumbered,
      has_output_sequence: isNumbered,
      tos: overIpv6 ? '0x00' : config.tos,
      encap_limit: config.encap_limit === null ? null : 0,
      fwmark: null,
      tx_queue_length: 1000,
    }
  },
)

/** Any files at once, even one without the other of the two that networkd takes. */
const saved: fc.Arbitrary<Saved> = fc.record({
  systemd_unit: unitOf(linkConfig),
  systemd_keepalive_unit: unitOf(keepalive),
  networkd_netdev: fc.option(fc.record({ is_enabled: fc.boolean(), config: netdevConfig })),
  networkd_network: fc.option(
    fc.record({
      is_enabled: fc.boolean(),
      config: linkConfig.map((config) => networkdParts(config).network),
    }),
  ),
})

/** A state of gre-a-1: link, file, both, or (null) neither. */
export const tunnelState: fc.Arbitrary<TunnelState | null> = fc
  .record({
    link: fc.option(fc.record({ is_up: fc.boolean(), config: linkConfig })),
    saved: fc.option(saved),
  })
  .map(({ link, saved }) => canonicalTunnel({ interface_name: 'gre-a-1', link, saved }))

/** Two states that share most of their fields, as an update's do, or nothing, as chance will have it. */
export const statePair: fc.Arbitrary<[TunnelState | null, TunnelState | null]> = fc.oneof(
  fc.tuple(tunnelState, tunnelState),
  fc
    .tuple(
      tunnelState,
      fc.record(
        {
          mtu: fc.integer({ min: 1280, max: 1500 }),
          ttl: byte,
          is_multicast: fc.boolean(),
          addresses: fc.uniqueArray(address, { maxLength: 3, selector: (a) => a.address }),
        },
        { requiredKeys: [] },
      ),
      fc.boolean(),
    )
    .map(([state, fields, is_up]): [TunnelState | null, TunnelState | null] => [
      state,
      canonicalTunnel(
        state && { ...state, link: state.link && { is_up, config: { ...state.link.config, ...fields } } },
      ),
    ]),
)
