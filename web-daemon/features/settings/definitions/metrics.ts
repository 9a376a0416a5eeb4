// The settings of the category metrics: how the server is sampled and when it is reported as critical (decisions.md, M1).
import { bool, float, int, oneOf } from '../kinds.ts'

export const METRICS = {
  'metrics.sample_interval_seconds': float(
    1,
    { min: 0.2, max: 600, unit: 'seconds' },
    'Time between two readings of the server. A shorter time shows peaks that a longer one evens out, and costs processor time.',
  ),
  'metrics.history_points': int(
    300,
    { min: 10, max: 100_000 },
    'How many of the newest readings are kept for sparklines, in memory. More of them reach further back and take memory.',
  ),
  'metrics.hide_loopback': bool(
    true,
    "Whether loopback interfaces are left out of the readings. Turn it off to see the server's traffic to itself.",
  ),
  'metrics.hide_pseudo_filesystems': bool(
    true,
    'Whether file systems without a disk behind them are left out of the readings. Turn it off to see those in memory too.',
  ),
  'metrics.disk_warn_pct': float(
    85,
    { min: 1, max: 100, unit: 'percent' },
    'Use of a disk that calls for a warning. Lower it for a disk that fills quickly.',
  ),
  'metrics.disk_critical_pct': float(
    95,
    { min: 1, max: 100, unit: 'percent' },
    'Use of a disk that is critical. It should leave the time to make room.',
  ),
  'metrics.prometheus_enabled': bool(
    false,
    'Whether Prometheus can read the metrics of the panel at /metrics. Turn it on where Prometheus watches this server.',
  ),
  'metrics.prometheus_rules': oneOf(
    ['all', 'none', 'tagged'],
    'all',
    'Relay rules that are among the metrics for Prometheus. Choose those with a tag, or none, where thousands of rules are more than it should keep.',
  ),
}
