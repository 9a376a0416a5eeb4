// How metrics are taken, under the names of the settings that will say so (decisions.md, M1 and section 8).
export const DEFAULTS = {
  'metrics.sample_interval_seconds': 1,
  'metrics.history_points': 300,
  'metrics.hide_loopback': true,
  'metrics.hide_pseudo_filesystems': true,
  'metrics.disk_warn_pct': 85,
  'metrics.disk_critical_pct': 95,
}

export type MetricsSettings = Readonly<typeof DEFAULTS>
