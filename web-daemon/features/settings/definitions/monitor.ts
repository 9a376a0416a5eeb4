// The settings of the category monitor: how tunnels are probed and judged (decisions.md, S3, S4).
import { bool, float, int, orNull } from '../kinds.ts'

export const MONITOR = {
  'monitor.enabled': bool(
    true,
    'Whether tunnels are monitored unless they are set otherwise themselves. Turn it off where the far ends answer no pings.',
  ),
  'monitor.interval_seconds': float(
    1,
    { min: 0.2, max: 3600, unit: 'seconds' },
    'Time between two probes of a tunnel. A shorter time notices a fault sooner and sends more packets.',
  ),
  'monitor.timeout_seconds': float(
    2,
    { min: 0.1, max: 3600, unit: 'seconds' },
    'Time after which a probe without a reply counts as lost. Raise it for paths with a long round trip, such as over a satellite.',
  ),
  'monitor.packet_size': int(
    56,
    { min: 16, max: 65507, unit: 'bytes' },
    'Payload of a probe. Raise it to notice paths that lose only large packets.',
  ),
  'monitor.window_size': int(
    60,
    { min: 1, max: 10_000 },
    'How many of the newest probes decide the state of a tunnel. A larger window overlooks short faults and is slower to notice one.',
  ),
  'monitor.degraded_loss_pct': float(
    20,
    { min: 0, max: 100, unit: 'percent' },
    'Loss from which a tunnel counts as degraded. Raise it for lines that always lose a little.',
  ),
  'monitor.down_loss_pct': float(
    100,
    { min: 0, max: 100, unit: 'percent' },
    'Loss from which a tunnel counts as down. Lower it where a line with such a loss is of no use to you.',
  ),
  'monitor.degraded_rtt_ms': orNull(
    float(
      1000,
      { min: 0.001, max: 3_600_000, unit: 'milliseconds' },
      'Average round-trip time from which a tunnel counts as degraded. Null: none does.',
    ),
  ),
  'monitor.state_change_samples': int(
    3,
    { min: 1, max: 100 },
    'How many results in a row must agree before the state of a tunnel changes. Raise it where a state flaps.',
  ),
  'monitor.aggregate_interval_seconds': int(
    60,
    { min: 10, max: 3600, unit: 'seconds' },
    'Span that one stored point of the history of tunnels and of the server sums up. A shorter span draws finer charts and takes more disk.',
  ),
  'monitor.history_retention_days': int(
    30,
    { min: 1, max: 3650, unit: 'days' },
    'Age at which the history of tunnels and of the server is deleted. A longer time takes more disk.',
  ),
  'monitor.tcp_knock_enabled': bool(
    true,
    'Whether a far end that answers no ping is tried over TCP before the tunnel counts as down. Turn it off where a firewall there treats this as an attack.',
  ),
}
