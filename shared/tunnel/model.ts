// A tunnel as a host holds it: what the kernel has, and what the next boot will make. No ids, no titles, no wishes.
import { integer, nullable, strict, stringEnum, Type, U32_MAX, type Static } from '../schema.ts'

export const LINK_KINDS = ['gre', 'gretap', 'ip6gre', 'ip6gretap'] as const
export type LinkKind = (typeof LINK_KINDS)[number]

export const isIpv6Kind = (kind: LinkKind): boolean => kind === 'ip6gre' || kind === 'ip6gretap'
export const isTapKind = (kind: LinkKind): boolean => kind === 'gretap' || kind === 'ip6gretap'

/**
 * Linux takes 15 bytes (IFNAMSIZ - 1 in linux/if.h); the letters are what is safe in a unit's name, an nft word and a
 * URL alike.
 */
export const INTERFACE_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$'

/** Links that kernel modules create by themselves, and the loopback: never tunnels. */
export const KERNEL_STUBS = ['lo', 'gre0', 'gretap0', 'erspan0', 'ip6gre0', 'ip6tnl0', 'tunl0', 'sit0'] as const

export const InterfaceName = Type.String({ pattern: INTERFACE_NAME_PATTERN })
export const IpText = Type.String({ pattern: '^[0-9a-f:.]{2,39}$' })
export const CidrText = Type.String({ pattern: '^[0-9a-f:.]{2,39}/[0-9]{1,3}$' })

/**
 * `peer_address` is "" where the address has no peer of its own; `prefix_length` then spans the address, else the peer.
 */
export const TunnelAddress = strict({
  address: IpText,
  peer_address: Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' }),
  prefix_length: integer(0, 128),
})
export type TunnelAddress = Static<typeof TunnelAddress>

/**
 * Everything that defines a link but whether it is up. Source: linux/if_tunnel.h (IFLA_GRE_*), linux/if_link.h
 * (IFLA_*). `ttl` is the hop limit and `tos` the traffic class where the outer protocol is IPv6; ttl 0 inherits.
 * `encap_limit` null: no tunnel encapsulation limit option (RFC 2473, 4.1.1). Keys: null is no key (RFC 2890).
 * `is_multicast` is absent where a link of the kind begins with it (`isMulticast`).
 */
export const LinkConfig = strict({
  kind: stringEnum(LINK_KINDS),
  local_endpoint: IpText,
  remote_endpoint: IpText,
  bind_device: nullable(InterfaceName),
  ikey: nullable(integer(0, U32_MAX)),
  okey: nullable(integer(0, U32_MAX)),
  has_input_checksum: Type.Boolean(),
  has_output_checksum: Type.Boolean(),
  has_input_sequence: Type.Boolean(),
  has_output_sequence: Type.Boolean(),
  ttl: integer(0, 255),
  tos: Type.String({ pattern: '^(inherit|0x[0-9a-f]{2})$' }),
  is_path_mtu_discovery: Type.Boolean(),
  is_ignore_df: Type.Boolean(),
  encap_limit: nullable(integer(0, 255)),
  flow_label: integer(0, 0xf_ffff),
  fwmark: nullable(integer(1, U32_MAX)),
  mtu: integer(68, 65535),
  tx_queue_length: integer(0, 1_000_000),
  is_multicast: Type.Optional(Type.Boolean()),
  addresses: Type.Array(TunnelAddress, { maxItems: 256 }),
})
export type LinkConfig = Static<typeof LinkConfig>

/**
 * IFF_MULTICAST. Drivers make an Ethernet-like link with it, the others without (ether_setup; ipgre_tunnel_setup,
 * ip6gre_tunnel_setup).
 */
export const isMulticast = ({ kind, is_multicast }: Pick<LinkConfig, 'kind' | 'is_multicast'>): boolean =>
  is_multicast ?? isTapKind(kind)

const IpOrNone = Type.String({ pattern: '^([0-9a-f:.]{2,39})?$' })

/**
 * A unicast route through a link that the kernel did not add by itself; "" is none. `unmodelled` names what of it
 * cannot be put back, such as several next hops or metrics.
 */
export const RouteThrough = strict({
  destination: CidrText,
  gateway: IpOrNone,
  source: IpOrNone,
  table: integer(0, U32_MAX),
  protocol: Type.String({ pattern: '^[A-Za-z0-9_.:-]{0,64}$' }),
  metric: integer(0, U32_MAX),
  is_link_scope: Type.Boolean(),
  is_onlink: Type.Boolean(),
  unmodelled: Type.Array(Type.String({ pattern: '^[\\x20-\\x7e]{1,80}$' })),
})
export type RouteThrough = Static<typeof RouteThrough>

export const LinkState = strict({ is_up: Type.Boolean(), config: LinkConfig })
/** `routes` is never on the wire: what a change puts back on a link that it makes again (carry-routes.ts). */
export type LinkState = Static<typeof LinkState> & { readonly routes?: readonly RouteThrough[] }

/** What can keep a tunnel over a reboot; the third kind of persistence, runtime, is the lack of files. */
export const PERSISTENCE_BACKENDS = ['systemd', 'networkd'] as const
export type PersistenceBackend = (typeof PERSISTENCE_BACKENDS)[number]

/** The kinds of file that a tunnel can have on disk, as the API names them (decisions.md, R18). */
export const FILE_KINDS = ['systemd_unit', 'systemd_keepalive_unit', 'networkd_netdev', 'networkd_network'] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** Pings of the far end through the tunnel. `packet_size` is ping's: the bytes of payload. */
export const Keepalive = strict({
  target_address: IpText,
  interval_seconds: Type.Number({ minimum: 0.2, maximum: 3600 }),
  packet_size: integer(0, 65507),
})
export type Keepalive = Static<typeof Keepalive>

/** A unit is enabled by a link beside it, so `config` can be null: enabled, but there is no file of ours to enable. */
const SavedUnit = strict({ is_enabled: Type.Boolean(), config: nullable(LinkConfig) })
/** `is_stopped` is seen and never wished for: enabled, and yet it does not run while its link is there. */
const SavedKeepalive = strict({
  is_enabled: Type.Boolean(),
  config: nullable(Keepalive),
  is_stopped: Type.Optional(Type.Literal(true)),
})

/** networkd configures a link in two parts: what it is created with, and what it is given then. */
export const NetdevConfig = Type.Omit(LinkConfig, ['is_multicast', 'addresses'], { additionalProperties: false })
export type NetdevConfig = Static<typeof NetdevConfig>
export const NetworkConfig = Type.Pick(LinkConfig, ['is_multicast', 'addresses'], { additionalProperties: false })
export type NetworkConfig = Static<typeof NetworkConfig>

/** `config` is canonical, so that the second part has what is not as the kind begins with. */
export const networkdParts = ({
  is_multicast,
  addresses,
  ...netdev
}: LinkConfig): { netdev: NetdevConfig; network: NetworkConfig } => ({
  netdev,
  network: { ...(is_multicast !== undefined && { is_multicast }), addresses },
})

/** A file of networkd states in its own text whether it is enabled. */
const SavedNetdev = strict({ is_enabled: Type.Boolean(), config: NetdevConfig })
const SavedNetwork = strict({ is_enabled: Type.Boolean(), config: NetworkConfig })

/**
 * The files of ours on disk under one name, each by itself: a host may hold those of two savers, or one of the two that
 * networkd takes, and every such state can be seen, planned from and put back. Null: no such file.
 */
export const Saved = strict({
  systemd_unit: nullable(SavedUnit),
  systemd_keepalive_unit: nullable(SavedKeepalive),
  networkd_netdev: nullable(SavedNetdev),
  networkd_network: nullable(SavedNetwork),
})
export type Saved = Static<typeof Saved>

/** A file that exists, or is wanted. */
export type SavedFile = {
  [K in FileKind]: {
    readonly file: K
    readonly is_enabled: boolean
    readonly config: NonNullable<NonNullable<Saved[K]>['config']>
  }
}[FileKind]

/** `is_whole` false is seen and never wished for: the kernel lacks some of what the link calls for. */
const AnswersState = strict({ is_whole: Type.Boolean() })

/**
 * Null instead of a TunnelState: neither a link nor a file of that name. `answers` is there of a tunnel through which
 * what came in for its own addresses is answered.
 */
export const TunnelState = strict({
  interface_name: InterfaceName,
  link: nullable(LinkState),
  saved: nullable(Saved),
  answers: Type.Optional(AnswersState),
})
export type TunnelState = Static<typeof TunnelState> & { link: LinkState | null }
