// What a tunnel is on the wire and in the kernel: name, ends, and how its packets look.
import { message } from '../../messages/message.ts'
import { nullable, Type, U32_MAX } from '../../schema.ts'
import { INTERFACE_NAME_PATTERN } from '../../tunnel/model.ts'
import { field } from '../base/field-list.ts'
import { flag, lookupId, maybe, orNull, ranged, withNull, refusedWith } from '../base/fields.ts'
import { TUNNEL_SIDES, TUNNEL_TYPES } from '../base/lookups.ts'
import { END_FIELDS } from './end-fields.ts'
import { Count, Flag, Id, idIn, Sentence, Text } from '../base/shapes.ts'

const key = (name: string, direction: string) =>
  orNull(
    Type.Integer({
      minimum: 0,
      maximum: U32_MAX,
      ...refusedWith(
        'INVALID_GRE_KEY',
        message('input.whole', { field: name, minimum: 0, maximum: U32_MAX }),
        `GRE key of ${direction} packets. Absent in both: by the setting tunnel.default_key, or drawn. Null: no key.`,
      ),
    }),
  )

const TRAFFIC_CLASS_PATTERN = '^(inherit|0[xX][0-9a-fA-F]{1,2}|[0-9]{1,3})$'
const trafficClass = <T>(name: string, more: { nullable?: true }, description: string) => {
  const expected = message('input.traffic_class', { field: name })
  return Type.Unsafe<T>({
    // ajv wants "nullable" beside a type, so it stands in the branches.
    anyOf: [
      { type: 'string', pattern: TRAFFIC_CLASS_PATTERN, ...more },
      { type: 'integer', minimum: 0, maximum: 255, ...more },
    ],
    ...refusedWith('INVALID_TOS', more.nullable ? withNull(expected) : expected, description),
  })
}

export const LINK_FIELDS = {
  tunnel_id: field({ answer: Id }),
  is_name_templated: field({ answer: Flag }),
  tunnel_type_id: field({
    answer: idIn(TUNNEL_TYPES),
    request: maybe(
      lookupId(
        TUNNEL_TYPES,
        refusedWith(
          'INVALID_TUNNEL_TYPE',
          message('input.choice', {
            field: 'tunnel_type_id',
            options: '10 (GRE), 20 (GRETAP), 30 (IP6GRE) or 40 (IP6GRETAP)',
          }),
          'Kind of tunnel. Absent: by the setting tunnel.default_type.',
        ),
      ),
    ),
  }),
  interface_name: field({
    answer: Sentence,
    request: maybe(
      Type.String({
        pattern: INTERFACE_NAME_PATTERN,
        ...refusedWith(
          'INVALID_INTERFACE_NAME',
          message('input.interface_name', { field: 'interface_name' }),
          'Name of the kernel interface. Absent: rendered from the naming template.',
        ),
      }),
    ),
  }),
  tunnel_side_id: field({
    answer: idIn(TUNNEL_SIDES),
    request: maybe(
      lookupId(
        TUNNEL_SIDES,
        refusedWith(
          'INVALID_TUNNEL_SIDE',
          message('input.choice', { field: 'tunnel_side_id', options: '10 (A) or 20 (B)' }),
          'Which of the two ends this server is. Default 10, A.',
        ),
      ),
    ),
    byDefault: TUNNEL_SIDES.A,
  }),
  tunnel_number: field({
    answer: nullable(Count),
    request: maybe(
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
  }),
  ...END_FIELDS,
  bind_device: field({
    answer: nullable(Text),
    request: maybe(
      orNull(
        Type.String({
          pattern: INTERFACE_NAME_PATTERN,
          ...refusedWith(
            'INVALID_VALUE',
            message('input.interface', { field: 'bind_device' }),
            'Interface that outer packets must leave by.',
          ),
        }),
      ),
    ),
    byDefault: null,
  }),
  mtu: field({
    answer: Count,
    request: maybe(
      ranged(
        'integer',
        576,
        9216,
        'INVALID_MTU',
        'mtu',
        "Largest packet inside the tunnel, in bytes. Absent: the MTU of the path's interface minus the overhead, or by the setting tunnel.default_mtu.",
      ),
    ),
  }),
  ttl: field({
    answer: Count,
    request: maybe(
      ranged(
        'integer',
        0,
        255,
        'INVALID_TTL',
        'ttl',
        'Time to live of outer packets; 0 takes over that of the inner packet. Absent: by the setting tunnel.default_ttl.',
      ),
    ),
  }),
  hop_limit: field({
    answer: nullable(Count),
    request: maybe(
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
    byDefault: null,
  }),
  tos: field({
    answer: Text,
    request: maybe(
      trafficClass<string | number>(
        'tos',
        {},
        'Type of service of outer packets. Absent: by the setting tunnel.default_tos.',
      ),
    ),
  }),
  traffic_class: field({
    answer: nullable(Text),
    request: maybe(
      trafficClass<string | number | null>(
        'traffic_class',
        { nullable: true },
        'Traffic class of outer IPv6 packets, IPv6 types only. Null: as tos.',
      ),
    ),
    byDefault: null,
  }),
  ikey: field({ answer: nullable(Count), request: maybe(key('ikey', 'incoming')) }),
  okey: field({ answer: nullable(Count), request: maybe(key('okey', 'outgoing')) }),
  has_input_checksum: field({
    answer: Flag,
    request: maybe(
      flag(
        'has_input_checksum',
        'Demand a GRE checksum of incoming packets. Absent: by the setting tunnel.default_csum.',
      ),
    ),
  }),
  has_output_checksum: field({
    answer: Flag,
    request: maybe(
      flag(
        'has_output_checksum',
        'Put a GRE checksum into outgoing packets. Absent: by the setting tunnel.default_csum.',
      ),
    ),
  }),
  has_input_sequence: field({
    answer: Flag,
    request: maybe(
      flag(
        'has_input_sequence',
        'Demand GRE sequence numbers of incoming packets. Absent: by the setting tunnel.default_seq.',
      ),
    ),
  }),
  has_output_sequence: field({
    answer: Flag,
    request: maybe(
      flag(
        'has_output_sequence',
        'Put GRE sequence numbers into outgoing packets. Absent: by the setting tunnel.default_seq.',
      ),
    ),
  }),
  is_path_mtu_discovery: field({
    answer: Flag,
    request: maybe(
      flag(
        'is_path_mtu_discovery',
        "Send outer packets with Don't Fragment, IPv4 types only. Absent: by the setting tunnel.default_pmtudisc.",
      ),
    ),
  }),
  is_ignore_df: field({
    answer: Flag,
    request: maybe(flag('is_ignore_df', "Disregard Don't Fragment of inner packets, IPv4 types only. Default false.")),
    byDefault: false,
  }),
  encap_limit: field({
    answer: nullable(Count),
    request: maybe(
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
    byDefault: null,
  }),
  flow_label: field({
    answer: Count,
    request: maybe(
      ranged(
        'integer',
        0,
        0xf_ffff,
        'INVALID_VALUE',
        'flow_label',
        'Flow label of outer IPv6 packets, IPv6 types only. Default 0.',
      ),
    ),
    byDefault: 0,
  }),
  fwmark: field({
    answer: nullable(Count),
    request: maybe(
      orNull(ranged('integer', 1, U32_MAX, 'INVALID_FWMARK', 'fwmark', 'Firewall mark of outer packets. Null: none.')),
    ),
    byDefault: null,
  }),
  tx_queue_length: field({
    answer: Count,
    request: maybe(
      ranged(
        'integer',
        0,
        1_000_000,
        'INVALID_QUEUE_LENGTH',
        'tx_queue_length',
        'Length of the transmit queue in packets. Default 1000.',
      ),
    ),
    // What the kernel gives a link (DEFAULT_TX_QUEUE_LEN, net/core/dev.h).
    byDefault: 1000,
  }),
  is_multicast: field({
    answer: nullable(Flag),
    request: maybe(
      orNull(
        flag(
          'is_multicast',
          'Whether the interface takes multicast, as routing protocols such as OSPF need. Null: as the kernel makes the type, off for GRE and IP6GRE, on for GRETAP and IP6GRETAP.',
        ),
      ),
    ),
    byDefault: null,
  }),
}
