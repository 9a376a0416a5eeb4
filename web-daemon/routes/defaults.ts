// What holds where the operator says nothing, under the names of the settings that will hold it (decisions.md, section 8).
export const DEFAULTS = {
  'routes.default_nat_mode': 10,
  'routes.default_protocol': 10,
  'routes.default_clamp_mss': true,
  'routes.counter_interval_seconds': 1,
  'routes.conntrack_interval_seconds': 5,
  'routes.aggregate_interval_seconds': 60,
  'routes.history_retention_days': 30,
} as const
