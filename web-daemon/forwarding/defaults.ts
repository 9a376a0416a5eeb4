// What holds where the operator says nothing, under the names of the settings that will hold it (decisions.md, section 8).
export const DEFAULTS = {
  'routes.auto_enable_ip_forward': true as boolean,
  'routes.warn_conntrack_usage_percent': 80,
}
