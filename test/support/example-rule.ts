// One relay rule that tests speak of: TCP port 443 of 192.0.2.1 to 10.9.0.2, masqueraded.
import { canonicalRule } from '@panel/shared/ruleset/canonical.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'

export const exampleRule = (fields: Partial<RelayRule> = {}): RelayRule =>
  canonicalRule({
    route_rule_id: 1,
    sort_order: 1,
    protocol: 'tcp',
    bind_address: '192.0.2.1',
    bind_port: 443,
    bind_port_range_end: null,
    bind_interface: null,
    destinations: [{ address: '10.9.0.2', port: 443, port_range_end: null, weight: 1, ...IN_ROTATION }],
    balance: 'none',
    nat_mode: 'masquerade',
    snat_address: null,
    allowed_sources: [],
    is_clamp_mss_to_pmtu: false,
    is_include_local_originated: false,
    is_logging_enabled: false,
    fwmark: null,
    max_connections_per_source: null,
    connection_rate_limit: null,
    is_closed: false,
    ...fields,
  })
