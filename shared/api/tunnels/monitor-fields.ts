// How a tunnel is watched and kept alive. Null follows the setting.
import { message } from '../../messages/message.ts'
import { nullable, Type } from '../../schema.ts'
import { field } from '../base/field-list.ts'
import { flag, maybe, orNull, ranged, refusedWith } from '../base/fields.ts'
import { Amount, Count, Flag, Text } from '../base/shapes.ts'

const override = (kind: 'integer' | 'number', minimum: number, maximum: number, name: string, description: string) =>
  maybe(
    orNull(
      ranged(kind, minimum, maximum, 'INVALID_MONITOR_OVERRIDE', name, `${description} Null follows the setting.`),
    ),
  )

export const MONITOR_FIELDS = {
  is_monitor_enabled: field({
    answer: nullable(Flag),
    request: maybe(orNull(flag('is_monitor_enabled', 'Whether the tunnel is monitored. Null follows the setting.'))),
    byDefault: null,
  }),
  monitor_interval_seconds: field({
    answer: nullable(Amount),
    request: override('number', 0.2, 3600, 'monitor_interval_seconds', 'Seconds between two probes.'),
    byDefault: null,
  }),
  monitor_timeout_seconds: field({
    answer: nullable(Amount),
    request: override('number', 0.1, 3600, 'monitor_timeout_seconds', 'Seconds after which a probe counts as lost.'),
    byDefault: null,
  }),
  monitor_packet_size: field({
    answer: nullable(Count),
    request: override('integer', 16, 65507, 'monitor_packet_size', "Bytes of a probe's payload."),
    byDefault: null,
  }),
  monitor_window_size: field({
    answer: nullable(Count),
    request: override('integer', 1, 10_000, 'monitor_window_size', 'Probes that a state is judged by.'),
    byDefault: null,
  }),
  monitor_degraded_loss_percent: field({
    answer: nullable(Amount),
    request: override(
      'number',
      0,
      100,
      'monitor_degraded_loss_percent',
      'Loss from which the tunnel counts as degraded.',
    ),
    byDefault: null,
  }),
  monitor_down_loss_percent: field({
    answer: nullable(Amount),
    request: override('number', 0, 100, 'monitor_down_loss_percent', 'Loss from which the tunnel counts as down.'),
    byDefault: null,
  }),
  monitor_degraded_rtt_ms: field({
    answer: nullable(Amount),
    request: override(
      'number',
      0.001,
      3_600_000,
      'monitor_degraded_rtt_ms',
      'Round-trip time from which the tunnel counts as degraded.',
    ),
    byDefault: null,
  }),
  monitor_state_change_samples: field({
    answer: nullable(Count),
    request: override(
      'integer',
      1,
      100,
      'monitor_state_change_samples',
      'Agreeing samples that a change of state takes.',
    ),
    byDefault: null,
  }),
  monitor_target: field({
    answer: nullable(Text),
    request: maybe(
      orNull(
        Type.String({
          minLength: 2,
          maxLength: 45,
          ...refusedWith(
            'INVALID_MONITOR_OVERRIDE',
            message('input.ip', { field: 'monitor_target' }),
            'Address to probe in place of the peer. Null: the peer.',
          ),
        }),
      ),
    ),
    byDefault: null,
  }),
  keepalive_interval_seconds: field({
    answer: nullable(Amount),
    request: maybe(
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
  }),
  keepalive_packet_size: field({
    answer: Count,
    request: maybe(
      ranged(
        'integer',
        0,
        65507,
        'INVALID_KEEPALIVE',
        'keepalive_packet_size',
        'Bytes of payload of a keepalive ping. Absent: by the setting keepalive.packet_size.',
      ),
    ),
  }),
}
