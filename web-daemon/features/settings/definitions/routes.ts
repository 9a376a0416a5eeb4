// The settings of the category routes: defaults of new relay rules, and how their traffic is counted.
import { NAT_MODES, ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import { Type } from '@panel/shared/schema.ts'
import { message } from '@panel/shared/messages/message.ts'
import { bool, float, int, json, lookup, oneOf, type Shape } from '../kinds.ts'

const DNS_SERVERS: Shape = {
  schema: Type.Array(
    Type.String({
      pattern:
        '^(([0-9]{1,3}\\.){3}[0-9]{1,3}(:[1-9][0-9]{0,4})?|[0-9a-f:]*:[0-9a-f:]+|\\[[0-9a-f:]+\\](:[1-9][0-9]{0,4})?)$',
    }),
    { maxItems: 4, uniqueItems: true },
  ),
  json_shape: '[text]',
  refusal: message('setting.dns_servers'),
}

export const ROUTES = {
  // Not SNAT, whose address each rule names for itself.
  'routes.default_nat_mode': lookup(
    'nat_mode',
    { Masquerade: NAT_MODES.Masquerade, None: NAT_MODES.None },
    NAT_MODES.Masquerade,
    "What the destination of a new rule sees as the source of a connection. Choose the client's own address only where the destination answers through this server.",
  ),
  'routes.default_protocol': lookup(
    'route_protocol',
    ROUTE_PROTOCOLS,
    ROUTE_PROTOCOLS.TCP,
    'Protocol of a new rule. Choose the one that most of your services use.',
  ),
  'routes.default_clamp_mss': bool(
    true,
    'Whether a new rule keeps TCP segments small enough for the path. Turn it off where every path carries full packets.',
  ),
  'routes.counter_interval_seconds': float(
    1,
    { min: 0.2, max: 600, unit: 'seconds' },
    'Time between two readings of the counters of the rules. A shorter time makes livelier figures and costs processor time. Those of more than 1,000 rules are read less often: of 10,000 every 10 seconds at most.',
  ),
  'routes.conntrack_interval_seconds': float(
    5,
    { min: 1, max: 3600, unit: 'seconds' },
    'Time between two counts of the connections that the rules relay. Raise it on a server with very many connections.',
  ),
  'routes.aggregate_interval_seconds': int(
    60,
    { min: 10, max: 3600, unit: 'seconds' },
    'Span whose traffic is one entry in the history of a rule. A shorter span draws finer charts and takes more disk.',
  ),
  'routes.history_retention_days': int(
    30,
    { min: 1, max: 3650, unit: 'days' },
    'Age at which the traffic history of a rule is deleted. A longer time takes more disk.',
  ),
  'routes.fast_path': oneOf(
    ['off', 'on'],
    'off',
    'Whether established connections of relay rules go past the chains of the firewall, which is quicker. Your own firewall then no longer sees their packets, so a rule that you add to it stops none of them. A rule with limits, logging or a packet mark stays on the slow path. Totals stay exact either way.',
  ),
  'routes.auto_enable_ip_forward': bool(
    true,
    'Whether the first rule of a family turns IP forwarding on. It is never turned off by itself. Turn it off where something else on this server decides that.',
  ),
  'routes.dns_servers': json<readonly string[]>(
    [],
    DNS_SERVERS,
    'DNS servers that resolve the host names of destinations and of the other servers of tunnels, each with its port where that is not 53. Without any, those of this server are used.',
  ),
  'routes.warn_conntrack_usage_percent': float(
    80,
    { min: 1, max: 100, unit: 'percent' },
    "Use of the kernel's table of connections from which a change of a rule warns. A full table takes no new connections.",
  ),
}
