// What a client may send about tunnels. Each field says by itself what is expected of it and under which code it is refused.
import { integerEnum, strict, Type, U32_MAX, type Static } from '../../schema.ts'
import { INTERFACE_NAME_PATTERN } from '../../tunnel/model.ts'
import { flag, maybe, orNull, ranged, says, text } from '../fields.ts'
import { PERSISTENCE_TYPES, TUNNEL_SIDES, TUNNEL_TYPES } from '../lookups.ts'

const oneOf = (ids: readonly number[], options: object) => integerEnum(ids, options)

const key = (name: string, direction: string) =>
  orNull(
    Type.Integer({
      minimum: 0,
      maximum: U32_MAX,
      ...says(
        'INVALID_GRE_KEY',
        `${name} must be a whole number from 0 to 4294967295.`,
        `GRE key of ${direction} packets. Absent in both: by the setting tunnel.default_key, or drawn. Null: no key.`,
      ),
    }),
  )

const TRAFFIC_CLASS_PATTERN = '^(inherit|0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3})$'
const trafficClass = <T>(name: string, more: { nullable?: true }, description: string) =>
  Type.Unsafe<T>({
    // ajv wants "nullable" beside a type, so it stands in the branches.
    anyOf: [
      { type: 'string', pattern: TRAFFIC_CLASS_PATTERN, ...more },
      { type: 'integer', minimum: 0, maximum: 255, ...more },
    ],
    ...says(
      'INVALID_TOS',
      `${name} must be "inherit", a number from 0 to 255, or 0x00 to 0xff${more.nullable ? ', or null' : ''}.`,
      description,
    ),
  })

const override = (kind: 'integer' | 'number', minimum: number, maximum: number, name: string, description: string) =>
  maybe(
    orNull(
      ranged(kind, minimum, maximum, 'INVALID_MONITOR_OVERRIDE', name, `${description} Null follows the setting.`),
    ),
  )

const endpoint = (name: string, description: string) =>
  Type.String({
    minLength: 2,
    maxLength: 45,
    ...says('INVALID_ENDPOINT', `${name} must be an IP address.`, description),
  })

export const TunnelAddressBody = strict(
  {
    address: Type.String({
      minLength: 2,
      maxLength: 45,
      ...says('INVALID_ADDRESS', 'address must be an IP address.', 'The address of this end, inside the tunnel.'),
    }),
    peer_address: maybe(
      Type.String({
        maxLength: 45,
        ...says(
          'INVALID_ADDRESS',
          'peer_address must be an IP address, or "" for none.',
          'The address of the other end; "" where there is none.',
        ),
      }),
    ),
    prefix_length: ranged(
      'integer',
      1,
      128,
      'INVALID_PREFIX_LENGTH',
      'prefix_length',
      'Length of the subnet that the two ends share: up to 32 for IPv4, 128 for IPv6.',
    ),
    is_primary: maybe(
      flag('is_primary', 'Whether diagnostics and monitoring go by this address. The first is, where none says so.'),
    ),
  },
  says(
    'INVALID_ADDRESS',
    'Each of addresses must be an object with address, prefix_length and, if wanted, peer_address and is_primary.',
    'An address inside the tunnel.',
  ),
)
export type TunnelAddressBody = Static<typeof TunnelAddressBody>

/** Of one tunnel. */
export const MAX_ADDRESSES = 64

export const CreateTunnelBody = strict({
  tunnel_type_id: maybe(
    oneOf(
      Object.values(TUNNEL_TYPES),
      says(
        'INVALID_TUNNEL_TYPE',
        'tunnel_type_id must be 10 (GRE), 20 (GRETAP), 30 (IP6GRE) or 40 (IP6GRETAP).',
        'Kind of tunnel. Absent: by the setting tunnel.default_type.',
      ),
    ),
  ),
  interface_name: maybe(
    Type.String({
      pattern: INTERFACE_NAME_PATTERN,
      ...says(
        'INVALID_INTERFACE_NAME',
        'interface_name must be 1 to 15 letters, digits, "_", "." or "-", and begin with a letter or digit.',
        'Name of the kernel interface. Absent: rendered from the naming template.',
      ),
    }),
  ),
  tunnel_side_id: maybe(
    oneOf(
      Object.values(TUNNEL_SIDES),
      says(
        'INVALID_TUNNEL_SIDE',
        'tunnel_side_id must be 10 (A) or 20 (B).',
        'Which of the two ends this server is. Default 10, A.',
      ),
    ),
  ),
  tunnel_number: maybe(
    orNull(
      ranged(
        'integer',
        0,
        0xff_ffff,
        'INVALID_TUNNEL_NUMBER',
        'tunnel_number',
        'Number of the tunnel, which is also the index of its subnet in the pool. Absent: the lowest free one.',
      ),
    ),
  ),
  local_endpoint: endpoint('local_endpoint', 'The address of this server that outer packets come from.'),
  remote_endpoint: endpoint('remote_endpoint', 'The address of the other server.'),
  bind_device: maybe(
    orNull(
      Type.String({
        pattern: INTERFACE_NAME_PATTERN,
        ...says(
          'INVALID_VALUE',
          'bind_device must be the name of an interface.',
          'Interface that outer packets must leave by.',
        ),
      }),
    ),
  ),
  mtu: maybe(
    ranged(
      'integer',
      576,
      9216,
      'INVALID_MTU',
      'mtu',
      "Largest packet inside the tunnel, in bytes. Absent: the MTU of the path's interface minus the overhead, or by the setting tunnel.default_mtu.",
    ),
  ),
  ttl: maybe(
    ranged(
      'integer',
      0,
      255,
      'INVALID_TTL',
      'ttl',
      'Time to live of outer packets; 0 takes over that of the inner packet. Absent: by the setting tunnel.default_ttl.',
    ),
  ),
  hop_limit: maybe(
    orNull(
      ranged(
        'integer',
        0,
        255,
        'INVALID_TTL',
        'hop_limit',
        'Hop limit of outer IPv6 packets, IPv6 types only. Null: as ttl.',
      ),
    ),
  ),
  tos: maybe(
    trafficClass<string | number>(
      'tos',
      {},
      'Type of service of outer packets. Absent: by the setting tunnel.default_tos.',
    ),
  ),
  traffic_class: maybe(
    trafficClass<string | number | null>(
      'traffic_class',
      { nullable: true },
      'Traffic class of outer IPv6 packets, IPv6 types only. Null: as tos.',
    ),
  ),
  ikey: maybe(key('ikey', 'incoming')),
  okey: maybe(key('okey', 'outgoing')),
  has_input_checksum: maybe(
    flag(
      'has_input_checksum',
      'Demand a GRE checksum of incoming packets. Absent: by the setting tunnel.default_csum.',
    ),
  ),
  has_output_checksum: maybe(
    flag(
      'has_output_checksum',
      'Put a GRE checksum into outgoing packets. Absent: by the setting tunnel.default_csum.',
    ),
  ),
  has_input_sequence: maybe(
    flag(
      'has_input_sequence',
      'Demand GRE sequence numbers of incoming packets. Absent: by the setting tunnel.default_seq.',
    ),
  ),
  has_output_sequence: maybe(
    flag(
      'has_output_sequence',
      'Put GRE sequence numbers into outgoing packets. Absent: by the setting tunnel.default_seq.',
    ),
  ),
  is_path_mtu_discovery: maybe(
    flag(
      'is_path_mtu_discovery',
      "Send outer packets with Don't Fragment, IPv4 types only. Absent: by the setting tunnel.default_pmtudisc.",
    ),
  ),
  is_ignore_df: maybe(
    flag('is_ignore_df', "Disregard Don't Fragment of inner packets, IPv4 types only. Default false."),
  ),
  encap_limit: maybe(
    orNull(
      ranged(
        'integer',
        0,
        255,
        'INVALID_VALUE',
        'encap_limit',
        'Tunnel encapsulation limit (RFC 2473), IPv6 types only. Null: no such option in the packets.',
      ),
    ),
  ),
  flow_label: maybe(
    ranged(
      'integer',
      0,
      0xf_ffff,
      'INVALID_VALUE',
      'flow_label',
      'Flow label of outer IPv6 packets, IPv6 types only. Default 0.',
    ),
  ),
  fwmark: maybe(
    orNull(ranged('integer', 1, U32_MAX, 'INVALID_FWMARK', 'fwmark', 'Firewall mark of outer packets. Null: none.')),
  ),
  tx_queue_length: maybe(
    ranged(
      'integer',
      0,
      1_000_000,
      'INVALID_QUEUE_LENGTH',
      'tx_queue_length',
      'Length of the transmit queue in packets. Default 1000.',
    ),
  ),
  persistence_type_id: maybe(
    oneOf(
      Object.values(PERSISTENCE_TYPES),
      says(
        'INVALID_PERSISTENCE_TYPE',
        'persistence_type_id must be 10 (systemd), 20 (networkd) or 30 (runtime only).',
        'What brings the tunnel back after a reboot. Absent: by the setting tunnel.default_persistence, where the host has that.',
      ),
    ),
  ),
  is_enabled: maybe(flag('is_enabled', 'Whether the interface is up, now and after a reboot. Default true.')),
  address_pool_id: maybe(
    orNull(
      ranged(
        'integer',
        1,
        2 ** 53 - 1,
        'UNKNOWN_ADDRESS_POOL',
        'address_pool_id',
        'Pool that the subnet is taken from. Absent, and no addresses: that of the setting addressing.default_pool_id, or the first enabled pool with a free subnet.',
      ),
    ),
  ),
  addresses: maybe(
    Type.Array(TunnelAddressBody, {
      maxItems: MAX_ADDRESSES,
      ...says(
        'INVALID_ADDRESS',
        `addresses must be a list of at most ${MAX_ADDRESSES} addresses.`,
        'Addresses inside the tunnel. Absent or empty: allocated from a pool.',
      ),
    }),
  ),
  display_name: maybe(text(100, false, 'display_name', 'A name for people.')),
  note: maybe(text(2000, true, 'note', 'Anything worth remembering about the tunnel.')),
  tags: maybe(
    Type.Array(text(50, false, 'A tag', 'A word to find the tunnel by.'), {
      maxItems: 32,
      ...says(
        'INVALID_VALUE',
        'tags must be a list of at most 32 words of at most 50 characters.',
        'Words to find the tunnel by.',
      ),
    }),
  ),
  is_monitor_enabled: maybe(
    orNull(flag('is_monitor_enabled', 'Whether the tunnel is monitored. Null follows the setting.')),
  ),
  monitor_interval_seconds: override('number', 0.2, 3600, 'monitor_interval_seconds', 'Seconds between two probes.'),
  monitor_timeout_seconds: override(
    'number',
    0.1,
    3600,
    'monitor_timeout_seconds',
    'Seconds after which a probe counts as lost.',
  ),
  monitor_packet_size: override('integer', 16, 65507, 'monitor_packet_size', "Bytes of a probe's payload."),
  monitor_window_size: override('integer', 1, 10_000, 'monitor_window_size', 'Probes that a state is judged by.'),
  monitor_degraded_loss_percent: override(
    'number',
    0,
    100,
    'monitor_degraded_loss_percent',
    'Loss from which the tunnel counts as degraded.',
  ),
  monitor_down_loss_percent: override(
    'number',
    0,
    100,
    'monitor_down_loss_percent',
    'Loss from which the tunnel counts as down.',
  ),
  monitor_degraded_rtt_ms: override(
    'number',
    0.001,
    3_600_000,
    'monitor_degraded_rtt_ms',
    'Round-trip time from which the tunnel counts as degraded.',
  ),
  monitor_state_change_samples: override(
    'integer',
    1,
    100,
    'monitor_state_change_samples',
    'Agreeing samples that a change of state takes.',
  ),
  monitor_target: maybe(
    orNull(
      Type.String({
        minLength: 2,
        maxLength: 45,
        ...says(
          'INVALID_MONITOR_OVERRIDE',
          'monitor_target must be an IP address.',
          'Address to probe in place of the peer. Null: the peer.',
        ),
      }),
    ),
  ),
  keepalive_interval_seconds: maybe(
    orNull(
      ranged(
        'number',
        0.2,
        3600,
        'INVALID_KEEPALIVE',
        'keepalive_interval_seconds',
        "Seconds between two pings of the far end by a systemd unit of the tunnel's own. Null: no such unit. Absent: by the settings keepalive.*.",
      ),
    ),
  ),
  keepalive_packet_size: maybe(
    ranged(
      'integer',
      0,
      65507,
      'INVALID_KEEPALIVE',
      'keepalive_packet_size',
      'Bytes of payload of a keepalive ping. Absent: by the setting keepalive.packet_size.',
    ),
  ),
  force: maybe(
    flag(
      'force',
      'Go on in spite of a routing table or public range that speaks against the addresses. Stored nowhere.',
    ),
  ),
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Accepted and without effect here: making a tunnel cuts nobody off.'),
  ),
  idempotency_key: maybe(
    text(
      200,
      false,
      'idempotency_key',
      "A word of the client's own: the same word again within ten minutes returns the first answer.",
    ),
  ),
})
export type CreateTunnelBody = Static<typeof CreateTunnelBody>

const { idempotency_key: _once, i_understand_i_may_lose_access: _making, ...changeable } = CreateTunnelBody.properties

/** A field that is absent keeps its value; null is a value like another, where a field takes it. */
export const UpdateTunnelBody = strict({
  ...changeable,
  local_endpoint: maybe(changeable.local_endpoint),
  remote_endpoint: maybe(changeable.remote_endpoint),
  addresses: {
    ...changeable.addresses,
    description: 'All the addresses inside the tunnel, in the place of those it has.',
  } as typeof changeable.addresses,
  confirm_recreate: maybe(
    flag('confirm_recreate', 'Go on where the link has to be made anew, which interrupts its traffic.'),
  ),
  i_understand_i_may_lose_access: maybe(
    flag(
      'i_understand_i_may_lose_access',
      'Go on although this very request comes through what the change interrupts.',
    ),
  ),
})
export type UpdateTunnelBody = Static<typeof UpdateTunnelBody>

export const TunnelActionBody = strict({
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Go on although this very request comes through the tunnel.'),
  ),
})
export type TunnelActionBody = Static<typeof TunnelActionBody>

const { is_primary: _which, ...anAddress } = TunnelAddressBody.properties
const CHANGING_ADDRESSES = {
  force: maybe(
    flag(
      'force',
      'Go on in spite of a routing table or public range that speaks against it, or where no address is left.',
    ),
  ),
  i_understand_i_may_lose_access: UpdateTunnelBody.properties.i_understand_i_may_lose_access,
}

export const AddAddressBody = strict({ ...TunnelAddressBody.properties, ...CHANGING_ADDRESSES })
export type AddAddressBody = Static<typeof AddAddressBody>

export const RemoveAddressBody = strict({ ...anAddress, ...CHANGING_ADDRESSES })
export type RemoveAddressBody = Static<typeof RemoveAddressBody>

export const DeleteTunnelBody = strict({
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Delete the tunnel although this very request comes through it.'),
  ),
})
export type DeleteTunnelBody = Static<typeof DeleteTunnelBody>
