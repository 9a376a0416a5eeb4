// What the endpoints read of a query, and the bounds that their handlers keep to.
import { CONNECTIONS_MAX } from '../ruleset/connection.ts'
import { AUDIT_ACTION_NAMES } from './audit/actions.ts'
import { APPLY_STATUSES, MONITOR_STATES, NAT_MODES, ROUTE_PROTOCOLS, TUNNEL_TYPES } from './base/lookups.ts'
import {
  enumParameter,
  flagParameter,
  integerParameter,
  limitParameter,
  numberParameter,
  pagingParameters,
  queryParameters,
  textParameter,
  timeParameter,
} from './base/queries.ts'
import { INCIDENT_KINDS } from './incidents.ts'
import { REVISION_KINDS } from './revisions.ts'
import { DIAGNOSTIC_TYPES, type DiagnosticType } from './diagnostics.ts'

export const AUDIT_QUERY = queryParameters({
  ...pagingParameters(),
  search: textParameter(
    'Only entries with this in the name of their object, operator, address, request, steps, error or request id.',
  ),
  action: enumParameter(AUDIT_ACTION_NAMES, 'Only entries of this action, by name or number.', { 'x-also': true }),
  user_id: integerParameter('Only what this operator did.'),
  target_type: textParameter('Only what was done to things of this kind.'),
  target_id: integerParameter('Only what was done to the thing of this id.'),
  success: flagParameter('Only what worked, or what did not.'),
  from: timeParameter('Only requests from then on.'),
  to: timeParameter('Only requests until then.'),
})

export const EXPORT_QUERY = queryParameters({
  include_routes: flagParameter('Whether relay rules are in it. Default true.'),
})

export const REVISIONS_QUERY = queryParameters({
  ...pagingParameters(),
  kind: enumParameter(REVISION_KINDS, 'Only those that changed something of this kind.'),
  target_key: textParameter('Only those that changed the object of this key: of a setting its key, else its id.'),
  request_id: textParameter('Only those of this request.'),
})

export const DESIRED_QUERY = queryParameters({
  kind: enumParameter(REVISION_KINDS, 'With target_key: only files that name this object, and what differs of it.'),
  target_key: textParameter('Of a setting its key, else the id.'),
})

export const REVISION_DIFF_QUERY = queryParameters({
  to: textParameter('now, host, or the number of a revision. Default now.'),
})

export const METRICS_HISTORY_QUERY = queryParameters({
  limit: integerParameter('How many to return at most, the newest. Default: all.', 0),
  detail: enumParameter(['all', 'host'], 'host: without interfaces and rules. Default: all.'),
})

export const LONGEST_SPAN_S = 366 * 86_400
const resolution_seconds = numberParameter(
  'Seconds that a point stands for. Default: as stored.',
  0.001,
  LONGEST_SPAN_S,
)
export const HISTORY_LIMIT = { standard: 5000, maximum: 20_000 }
export const HISTORY_QUERY = queryParameters({
  from: timeParameter('Where the time begins. Default: a day before its end.'),
  to: timeParameter('Where the time ends. Default: now.'),
  resolution_seconds,
  limit: limitParameter(HISTORY_LIMIT),
})

export const NEXT_FREE_QUERY = queryParameters({
  prefix_length: integerParameter('Of a subnet of another length than that of the pool.'),
})

export const DELIVERIES_PAGE = { standard: 50, maximum: 500 }
export const DELIVERIES_QUERY = queryParameters(pagingParameters(DELIVERIES_PAGE))

export const TUNNELS_QUERY = queryParameters({
  ...pagingParameters(),
  search: textParameter('Only tunnels with this in their names, note, tags, endpoints or addresses.'),
  is_enabled: flagParameter('Only those that are up, or down.'),
  tunnel_type_id: enumParameter(Object.values(TUNNEL_TYPES), 'Only those of this type.'),
  state: enumParameter(
    [...Object.keys(MONITOR_STATES), ...Object.keys(APPLY_STATUSES)],
    'Only those in this state of the monitoring, or of this apply status.',
    { 'x-also': [...Object.values(MONITOR_STATES), ...Object.values(APPLY_STATUSES)] },
  ),
})

/** The hours that GET /monitor/uptime can show, each with the seconds of one of 90 parts. */
export const TICK_SECONDS = { 24: 960, 168: 6720, 720: 28_800, 2160: 86_400 } as const
type TickHours = keyof typeof TICK_SECONDS
export const TICK_HOURS = Object.keys(TICK_SECONDS).map(Number) as TickHours[]
export const UPTIME_QUERY = queryParameters({
  hours: enumParameter(TICK_HOURS, 'How many hours up to now, in 90 parts. Default: 24.'),
})

export const SAMPLE_SECONDS = { least: 0.1, usual: 1, most: 30 } as const
export const COUNTERS_QUERY = queryParameters({
  sample_seconds: numberParameter(
    'How long the movement is watched. Default 1.',
    SAMPLE_SECONDS.least,
    SAMPLE_SECONDS.most,
  ),
})

export const RUNS_PAGE = { maximum: 500 }
export const RUNS_QUERY = queryParameters({
  ...pagingParameters(RUNS_PAGE),
  tunnel_id: integerParameter('Only runs of this tunnel.'),
  type: enumParameter(Object.keys(DIAGNOSTIC_TYPES) as DiagnosticType[], 'Only runs of this type.'),
})

export const RECONCILE_QUERY = queryParameters({
  include_ignored: flagParameter('Whether ignored interfaces are listed too. Default false.'),
})

export const INCIDENTS_PAGE = { maximum: 500 }
export const INCIDENTS_QUERY = queryParameters({
  ...pagingParameters(INCIDENTS_PAGE),
  state: enumParameter(['open', 'ended'], 'Only those that last, or are over.'),
  kind: enumParameter(INCIDENT_KINDS, 'Only those of this kind.'),
  id: integerParameter('Only those of the tunnel or the relay rule of this id.'),
  from: timeParameter('Only those that lasted at this time or later.'),
  to: timeParameter('Only those that had begun by then.'),
})

export const ROUTES_QUERY = queryParameters({
  ...pagingParameters(),
  search: textParameter('Only rules with this in their title, description, tags, addresses or ports.'),
  route_protocol_id: enumParameter(Object.values(ROUTE_PROTOCOLS), 'Only rules of this protocol.'),
  nat_mode_id: enumParameter(Object.values(NAT_MODES), 'Only rules of this NAT mode.'),
  tunnel_id: integerParameter('Only rules with packets that go over this tunnel, whatever they name.'),
  is_enabled: flagParameter('Only rules that are in force, or are not.'),
})

export const NETWORKS_QUERY = queryParameters({
  ...pagingParameters(),
  search: textParameter('Only networks with this in their title, note, destination or own addresses.'),
  tunnel_id: integerParameter('Only networks that have this tunnel as a path.'),
  is_enabled: flagParameter('Only networks that are enabled, or are not.'),
})

export const PATH_QUERY = queryParameters({ address: textParameter('The address of a destination.') })

export const CONNECTIONS_LIMIT = { standard: 200, maximum: CONNECTIONS_MAX }
export const CONNECTIONS_QUERY = queryParameters({ limit: limitParameter(CONNECTIONS_LIMIT) })

export const TRAFFIC_POINTS = { standard: 60, maximum: 120 }
export const TRAFFIC_QUERY = queryParameters({
  points: integerParameter('How many of the last readings to return. Default 60.', 1, {
    maximum: TRAFFIC_POINTS.maximum,
  }),
})

export const TRAFFIC_HISTORY_LIMIT = { standard: 1000, maximum: 20_000 }
export const TRAFFIC_HOURS = { standard: 24, maximum: 8760 }
export const TRAFFIC_HISTORY_QUERY = queryParameters({
  hours: integerParameter('How many hours up to the end.', 1, {
    default: TRAFFIC_HOURS.standard,
    maximum: TRAFFIC_HOURS.maximum,
  }),
  from: timeParameter('Where the time begins, in the place of hours.'),
  to: timeParameter('Where the time ends. Default: now.'),
  resolution_seconds,
  limit: limitParameter(TRAFFIC_HISTORY_LIMIT),
})
