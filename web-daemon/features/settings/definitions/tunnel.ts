// The settings of the category tunnel: defaults of new tunnels.
import { PERSISTENCE_TYPES, TUNNEL_TYPES } from '@panel/shared/api/base/lookups.ts'
import { strict, Type, U32_MAX } from '@panel/shared/schema.ts'
import { message } from '@panel/shared/messages/message.ts'
import { bool, int, json, lookup, orNull, text, type Shape } from '../kinds.ts'

export interface SideLabels {
  readonly a: string
  readonly b: string
}

const Label = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,8}$' })
const LABELS: Shape = {
  schema: strict({ a: Label, b: Label }),
  json_shape: '{"a": text, "b": text}',
  refusal: message('setting.side_labels'),
}

const TOS_PATTERN = '^(inherit|0[xX][0-9a-fA-F]{1,2}|[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])$'
/** A rule checks that the resulting name is valid for an interface. */
const TEMPLATE_PATTERN = '^([A-Za-z0-9_.-]|\\{(side|number|type)\\}){1,64}$'

export const TUNNEL = {
  'tunnel.default_type': lookup(
    'tunnel_type',
    TUNNEL_TYPES,
    TUNNEL_TYPES.GRE,
    'Type of a new tunnel. Choose the one that both servers and the networks between them let through.',
  ),
  'tunnel.default_key': orNull(
    int(0, { min: 0, max: U32_MAX }, 'GRE key of a new tunnel, in both directions. Null: one is drawn at random.'),
  ),
  'tunnel.default_mtu': int(
    1472,
    { min: 576, max: 9216, unit: 'bytes' },
    'MTU of a new tunnel where it does not follow the path: tunnel.auto_mtu_from_underlay is off, or the path is not known.',
  ),
  'tunnel.default_ttl': int(
    255,
    { min: 0, max: 255 },
    'Time to live of the outer packets of a new tunnel; 0 takes over that of the inner packet. Raise it only where the servers are more hops apart.',
  ),
  'tunnel.default_tos': text(
    'inherit',
    TOS_PATTERN,
    message('setting.traffic_class'),
    'Type of service of the outer packets of a new tunnel. Set a value where the networks between give some traffic priority.',
  ),
  'tunnel.default_pmtudisc': bool(
    false,
    "Whether a new IPv4 tunnel sends its outer packets with Don't Fragment. Turn it off where a network on the path drops the messages that report its MTU.",
  ),
  'tunnel.default_csum': bool(
    false,
    'Whether a new tunnel puts GRE checksums into its packets and demands them. Both ends must agree; it costs processor time and is rarely needed.',
  ),
  'tunnel.default_seq': bool(
    false,
    'Whether a new tunnel puts GRE sequence numbers into its packets and demands them. Both ends must agree; packets that overtake one another are then dropped.',
  ),
  'tunnel.naming_template': text(
    'gre-{side}-{number}',
    TEMPLATE_PATTERN,
    message('setting.template', { placeholders: '{side}, {number} and {type}' }),
    'Name of the interface of a new tunnel. {side} is the label of its side, {number} its number and {type} its type.',
  ),
  'tunnel.side_labels': json<SideLabels>(
    { a: 'a', b: 'b' },
    LABELS,
    'What stands for {side} in the naming template, for either end of a tunnel.',
  ),
  'tunnel.default_persistence': lookup(
    'persistence_type',
    PERSISTENCE_TYPES,
    PERSISTENCE_TYPES.Systemd,
    'What brings a new tunnel back after a reboot; where this server does not have it, nothing does.',
  ),
  'tunnel.auto_mtu_from_underlay': bool(
    true,
    'Whether a new tunnel gets the MTU that the path to the other server carries, less the overhead. Turn it off to give every tunnel the same MTU.',
  ),
}
