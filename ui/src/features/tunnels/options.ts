// Less common tunnel options, shared by the wizard and the edit form.
import type { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'

export interface Option {
  readonly name: keyof CreateTunnelBody
  readonly kind: 'number' | 'text' | 'flag'
  /** Null: every tunnel type. */
  readonly family: 4 | 6 | null
  /** Whether null is a value: none, or as the settings have it. */
  readonly isNullable: boolean
}

const of =
  (kind: Option['kind'], family: Option['family'], isNullable: boolean) =>
  <N extends keyof CreateTunnelBody>(name: N): Option & { readonly name: N } => ({ name, kind, family, isNullable })
const flag = of('flag', null, false)
const override = of('number', null, true)

/** Outer packet headers. */
export const PACKETS = [
  of('text', null, true)('bind_device'),
  of('text', null, false)('tos'),
  of('text', 6, true)('traffic_class'),
  of('number', 6, true)('hop_limit'),
  of('number', 6, true)('encap_limit'),
  of('number', 6, false)('flow_label'),
  of('number', null, true)('fwmark'),
  flag('has_input_checksum'),
  flag('has_output_checksum'),
  flag('has_input_sequence'),
  flag('has_output_sequence'),
  of('flag', 4, false)('is_path_mtu_discovery'),
  of('flag', 4, false)('is_ignore_df'),
] as const

/** Changed in place by the kernel. */
export const QUEUE = [of('number', null, false)('tx_queue_length')] as const

export const MONITORING = [
  of('flag', null, true)('is_monitor_enabled'),
  of('text', null, true)('monitor_target'),
  override('monitor_interval_seconds'),
  override('monitor_timeout_seconds'),
  override('monitor_packet_size'),
  override('monitor_window_size'),
  override('monitor_degraded_loss_percent'),
  override('monitor_down_loss_percent'),
  override('monitor_degraded_rtt_ms'),
  override('monitor_state_change_samples'),
] as const

export const REPAIR = [of('flag', null, true)('is_self_heal')] as const

export const KEEPALIVE = [
  override('keepalive_interval_seconds'),
  of('number', null, false)('keepalive_packet_size'),
] as const

const ALL = [...PACKETS, ...QUEUE, ...MONITORING, ...REPAIR, ...KEEPALIVE] as const
export type OptionName = (typeof ALL)[number]['name']
export type Options = { [N in OptionName]: number | string | boolean | null }

/** Everything is left to the server. */
export const NO_OPTIONS = Object.fromEntries(ALL.map(({ name }) => [name, null])) as Options

export const pickOptions = (tunnel: Options): Options =>
  Object.fromEntries(ALL.map(({ name }) => [name, tunnel[name]])) as Options

/** The value for the request body; an emptied nullable text is null. */
export const toFieldValue = (name: string, value: unknown): unknown =>
  value === '' && ALL.some((option) => option.name === name && option.isNullable)
    ? null
    : typeof value === 'string'
      ? value.trim()
      : value

/** The family by tunnel type, else by the remote address; IPv4 by default. */
export const endpointFamily = ({
  tunnel_type_id,
  remote_endpoint,
}: {
  tunnel_type_id?: number | null
  remote_endpoint: string
}): 4 | 6 => ((tunnel_type_id ?? (remote_endpoint.includes(':') ? 30 : 10)) >= 30 ? 6 : 4)
