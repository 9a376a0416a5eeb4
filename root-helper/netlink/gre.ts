// IFLA_GRE_*: the four kinds of tunnel between the kernel's attributes and the model, both directions.
import { isIpv6Kind, LINK_KINDS, type LinkConfig, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { attribute, DecodeError, u16be, u32, u32be, u8, type Attributes } from './attributes.ts'
import { ipBytes, ipText } from './bytes.ts'
import * as k from './constants.ts'

/** What the kind's own attributes define; bind_device is an index here, 0 for none. */
export type GreConfig = Omit<LinkConfig, 'bind_device' | 'mtu' | 'tx_queue_length' | 'is_multicast' | 'addresses'> & {
  bindIndex: number
}

export const isOurKind = (kind: string): kind is LinkKind => (LINK_KINDS as readonly string[]).includes(kind)

// The IPv4 drivers keep "inherit" as this value of the TOS byte (net/ipv4/ip_tunnel.c, ip_tunnel_xmit).
const TOS_INHERIT = 1
// Parts of an IPv6 flow word (net/ipv6.h: IPV6_TCLASS_MASK, IPV6_FLOWLABEL_MASK).
const TCLASS_SHIFT = 20
const FLOW_LABEL_MASK = 0xf_ffff

const hexByte = (value: number): string => `0x${value.toString(16).padStart(2, '0')}`

export function decodeGre(kind: LinkKind, a: Attributes): GreConfig {
  const input = a.u16be(k.IFLA_GRE_IFLAGS) ?? 0
  const output = a.u16be(k.IFLA_GRE_OFLAGS) ?? 0
  return {
    kind,
    local_endpoint: endpoint(kind, a.raw(k.IFLA_GRE_LOCAL)),
    remote_endpoint: endpoint(kind, a.raw(k.IFLA_GRE_REMOTE)),
    bindIndex: a.u32(k.IFLA_GRE_LINK) ?? 0,
    ikey: input & k.GRE_KEY ? (a.u32be(k.IFLA_GRE_IKEY) ?? 0) : null,
    okey: output & k.GRE_KEY ? (a.u32be(k.IFLA_GRE_OKEY) ?? 0) : null,
    has_input_checksum: (input & k.GRE_CSUM) !== 0,
    has_output_checksum: (output & k.GRE_CSUM) !== 0,
    has_input_sequence: (input & k.GRE_SEQ) !== 0,
    has_output_sequence: (output & k.GRE_SEQ) !== 0,
    ttl: a.u8(k.IFLA_GRE_TTL) ?? 0,
    fwmark: a.u32(k.IFLA_GRE_FWMARK) || null,
    ...(isIpv6Kind(kind) ? outerIpv6(a) : outerIpv4(a)),
  }
}

function endpoint(kind: LinkKind, raw: Buffer | null): string {
  const length = isIpv6Kind(kind) ? 16 : 4
  if (raw && raw.length !== length) throw new DecodeError(`an endpoint of ${raw.length} bytes on a ${kind} link`)
  return ipText(raw ?? Buffer.alloc(length))
}

type Outer = Pick<GreConfig, 'tos' | 'is_path_mtu_discovery' | 'is_ignore_df' | 'encap_limit' | 'flow_label'>

function outerIpv4(a: Attributes): Outer {
  const tos = a.u8(k.IFLA_GRE_TOS) ?? 0
  return {
    tos: tos === TOS_INHERIT ? 'inherit' : hexByte(tos),
    is_path_mtu_discovery: (a.u8(k.IFLA_GRE_PMTUDISC) ?? 0) !== 0,
    is_ignore_df: (a.u8(k.IFLA_GRE_IGNORE_DF) ?? 0) !== 0,
    encap_limit: null,
    flow_label: 0,
  }
}

function outerIpv6(a: Attributes): Outer {
  const flow = a.u32be(k.IFLA_GRE_FLOWINFO) ?? 0
  const flags = a.u32(k.IFLA_GRE_FLAGS) ?? 0
  return {
    tos: flags & k.IP6_TNL_F_USE_ORIG_TCLASS ? 'inherit' : hexByte((flow >>> TCLASS_SHIFT) & 0xff),
    is_path_mtu_discovery: false,
    is_ignore_df: false,
    encap_limit: flags & k.IP6_TNL_F_IGN_ENCAP_LIMIT ? null : (a.u8(k.IFLA_GRE_ENCAP_LIMIT) ?? 0),
    flow_label: flow & FLOW_LABEL_MASK,
  }
}

/** Everything is sent, defaults too: what the kernel does with an absent attribute differs between kinds. */
export function encodeGre(config: GreConfig): Buffer[] {
  const { ikey, okey } = config
  return [
    u16be(k.IFLA_GRE_IFLAGS, greFlags(config.has_input_checksum, ikey !== null, config.has_input_sequence)),
    u16be(k.IFLA_GRE_OFLAGS, greFlags(config.has_output_checksum, okey !== null, config.has_output_sequence)),
    u32be(k.IFLA_GRE_IKEY, ikey ?? 0),
    u32be(k.IFLA_GRE_OKEY, okey ?? 0),
    attribute(k.IFLA_GRE_LOCAL, ipBytes(config.local_endpoint)),
    attribute(k.IFLA_GRE_REMOTE, ipBytes(config.remote_endpoint)),
    u8(k.IFLA_GRE_TTL, config.ttl),
    u32(k.IFLA_GRE_FWMARK, config.fwmark ?? 0),
    ...(config.bindIndex === 0 ? [] : [u32(k.IFLA_GRE_LINK, config.bindIndex)]),
    ...(isIpv6Kind(config.kind) ? encodeOuterIpv6(config) : encodeOuterIpv4(config)),
  ]
}

const greFlags = (checksum: boolean, key: boolean, sequence: boolean): number =>
  (checksum ? k.GRE_CSUM : 0) | (key ? k.GRE_KEY : 0) | (sequence ? k.GRE_SEQ : 0)

function encodeOuterIpv4({ tos, is_path_mtu_discovery, is_ignore_df }: GreConfig): Buffer[] {
  return [
    u8(k.IFLA_GRE_TOS, tos === 'inherit' ? TOS_INHERIT : Number(tos)),
    u8(k.IFLA_GRE_PMTUDISC, is_path_mtu_discovery ? 1 : 0),
    u8(k.IFLA_GRE_IGNORE_DF, is_ignore_df ? 1 : 0),
  ]
}

function encodeOuterIpv6({ tos, encap_limit, flow_label }: GreConfig): Buffer[] {
  const flags =
    (tos === 'inherit' ? k.IP6_TNL_F_USE_ORIG_TCLASS : 0) | (encap_limit === null ? k.IP6_TNL_F_IGN_ENCAP_LIMIT : 0)
  const tclass = tos === 'inherit' ? 0 : Number(tos)
  return [
    u8(k.IFLA_GRE_ENCAP_LIMIT, encap_limit ?? 0),
    u32be(k.IFLA_GRE_FLOWINFO, ((tclass << TCLASS_SHIFT) | flow_label) >>> 0),
    u32(k.IFLA_GRE_FLAGS, flags),
  ]
}

/**
 * A request for the kind that every driver refuses with EINVAL: GRE_ROUTING is in no link's gift
 * (ipgre_tunnel_validate, ip6gre_tunnel_validate).
 */
export const impossibleGre: readonly Buffer[] = [u16be(k.IFLA_GRE_IFLAGS, k.GRE_ROUTING)]

const isZero = (address: string): boolean => address === '0.0.0.0' || address === '::'
const isMulticast = (address: string): boolean =>
  address.includes(':') ? address.startsWith('ff') : Number(address.split('.')[0]) >> 4 === 14

/** Features in these attributes that a LinkConfig cannot hold. */
export function unmodelledGre(config: GreConfig, a: Attributes): string[] {
  const flags = isIpv6Kind(config.kind) ? (a.u32(k.IFLA_GRE_FLAGS) ?? 0) : 0
  const is = (bit: number): boolean => (flags & bit) !== 0
  const encap = a.u16(k.IFLA_GRE_ENCAP_TYPE) ?? 0
  const features: readonly (readonly [boolean, string])[] = [
    [a.has(k.IFLA_GRE_COLLECT_METADATA), 'external'],
    [
      encap !== 0,
      `encap ${k.TUNNEL_ENCAP_NAMES[encap] ?? encap} sport ${a.u16be(k.IFLA_GRE_ENCAP_SPORT) ?? 0} dport ${a.u16be(k.IFLA_GRE_ENCAP_DPORT) ?? 0}`,
    ],
    [isZero(config.local_endpoint), 'local any'],
    [isZero(config.remote_endpoint), 'remote any'],
    [isMulticast(config.remote_endpoint), `remote multicast ${config.remote_endpoint}`],
    [is(k.IP6_TNL_F_USE_ORIG_FLOWLABEL), 'flowlabel inherit'],
    [is(k.IP6_TNL_F_USE_ORIG_FWMARK), 'fwmark inherit'],
    [is(k.IP6_TNL_F_RCV_DSCP_COPY), 'dscp copy'],
    [is(k.IP6_TNL_F_MIP6_DEV), 'mip6'],
    [is(k.IP6_TNL_F_ALLOW_LOCAL_REMOTE), 'allow-localremote'],
  ]
  return features.filter(([present]) => present).map(([, word]) => word)
}
