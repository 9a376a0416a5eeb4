// The fields of the forms of a tunnel: options, which the wizard has too, and what only the form of a stored tunnel has.
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { emptyValues, valuesOf, type FormField, type ValuesOf } from '../../components/form/fields.ts'
import type { Key } from '../../locales/keys.ts'

type OptionOf<K> = K extends `tunnel_new.option.${infer N extends keyof CreateTunnelBody}` ? N : never

const option =
  <G extends string>(group: G) =>
  <K extends 'number' | 'code' | 'flag' | 'switch', N extends OptionOf<Key>>(
    kind: K,
    name: N,
    more: Pick<FormField, 'family' | 'isNullable' | 'hint' | 'options'> = {},
  ) => ({
    name,
    kind,
    group,
    label: `tunnel_new.option.${name}` as const,
    ...(kind === 'number' && { attributes: { step: 'any', inputmode: 'decimal' } as const }),
    ...more,
  })
/** Outer packet headers. */
const packet = option('packets')
const monitoring = option('monitoring')
const keepalive = option('keepalive')
const NULLABLE = { isNullable: true } as const
const MULTICAST = [
  [null, 'tunnel_new.multicast_usual'],
  [true, 'core.form.yes'],
  [false, 'core.form.no'],
] as const
const IN_PLACE = { hint: 'tunnel_new.in_place' } as const

export const OPTIONS = [
  packet('code', 'bind_device', NULLABLE),
  packet('code', 'tos'),
  packet('code', 'traffic_class', { family: 6, ...NULLABLE }),
  packet('number', 'hop_limit', { family: 6 }),
  packet('number', 'encap_limit', { family: 6 }),
  packet('number', 'flow_label', { family: 6 }),
  packet('number', 'fwmark'),
  packet('flag', 'has_input_checksum'),
  packet('flag', 'has_output_checksum'),
  packet('flag', 'has_input_sequence'),
  packet('flag', 'has_output_sequence'),
  packet('flag', 'is_path_mtu_discovery', { family: 4 }),
  packet('flag', 'is_ignore_df', { family: 4 }),
  option('answers')('switch', 'is_answered_through', { hint: 'tunnel_new.answers_hint' }),
  option('queue')('number', 'tx_queue_length', IN_PLACE),
  option('queue')('flag', 'is_multicast', { options: MULTICAST, hint: 'tunnel_new.multicast_hint' }),
  monitoring('flag', 'is_monitor_enabled', NULLABLE),
  monitoring('code', 'monitor_target', NULLABLE),
  monitoring('number', 'monitor_interval_seconds'),
  monitoring('number', 'monitor_timeout_seconds'),
  monitoring('number', 'monitor_packet_size'),
  monitoring('number', 'monitor_window_size'),
  monitoring('number', 'monitor_degraded_loss_percent'),
  monitoring('number', 'monitor_down_loss_percent'),
  monitoring('number', 'monitor_degraded_rtt_ms'),
  monitoring('number', 'monitor_state_change_samples'),
  option('repair')('flag', 'is_self_heal', NULLABLE),
  keepalive('number', 'keepalive_interval_seconds'),
  keepalive('number', 'keepalive_packet_size'),
] as const satisfies readonly FormField[]

const KEY = { kind: 'number', group: 'both_ends', hint: 'tunnel_new.no_key_hint' } as const

export const FIELDS = [
  { name: 'display_name', kind: 'text', group: 'title', label: 'tunnel_new.display_name' },
  { name: 'tags', kind: 'tags', group: 'words', label: 'tunnel_new.tags', hint: 'tunnel_new.tags_hint' },
  { name: 'note', kind: 'lines', group: 'words', label: 'tunnel.field.note' },
  { name: 'mtu', kind: 'number', group: 'in_place', label: 'MTU', ...IN_PLACE },
  {
    name: 'remote_endpoint',
    kind: 'code',
    group: 'both_ends',
    label: 'tunnel_new.remote',
    hint: 'tunnel_new.remote_hint',
  },
  { name: 'interface_name', kind: 'code', group: 'both_ends', label: 'tunnel_new.name' },
  { name: 'ttl', kind: 'number', group: 'in_place', label: 'TTL' },
  { name: 'ikey', label: 'tunnel_new.ikey', ...KEY },
  { name: 'okey', label: 'tunnel_new.okey', ...KEY },
  {
    name: 'persistence_type_id',
    kind: 'choice',
    group: 'both_ends',
    label: 'tunnel_new.persistence',
    options: [
      [10, 'systemd'],
      [20, 'systemd-networkd'],
      [30, 'tunnel_new.runtime'],
    ],
  },
  ...OPTIONS,
] as const satisfies readonly FormField[]

type Group = (typeof FIELDS)[number]['group']
export const inGroup = (...groups: Group[]): readonly FormField[] =>
  FIELDS.filter(({ group }) => groups.includes(group))

export type Options = ValuesOf<typeof OPTIONS>

/** Everything is left to the server. */
export const NO_OPTIONS = emptyValues(OPTIONS)

export const pickOptions = (tunnel: Readonly<Record<string, unknown>>): Options => valuesOf(OPTIONS, tunnel)

/** The family by tunnel type, else by the remote address; IPv4 by default. */
export const endpointFamily = ({
  tunnel_type_id,
  remote_endpoint,
}: {
  tunnel_type_id?: number | null
  remote_endpoint: string
}): 4 | 6 => ((tunnel_type_id ?? (remote_endpoint.includes(':') ? 30 : 10)) >= 30 ? 6 : 4)
