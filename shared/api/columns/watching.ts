// The columns of what the panel finds out: about tunnels and rules, the host, and itself.
import { bytes, instant, listing, milliseconds, percent, rate, seconds, type Listings } from './listing.ts'

const subject = ({ kind, id, name }: { kind: string; id: number | null; name: string }): string =>
  [kind, id, name].filter((part) => part !== null && part !== '').join(' ')

const named = ({ kind, title, what }: { kind: string; title: string; what: string }): string =>
  `${kind} ${title} ${what}`

export const WATCHING: Listings = {
  'GET /desired': [
    listing('GET /desired', 'files', {
      NAME: (one) => one.name,
      APPLIED: (one) => instant(one.applied_date),
      WHO: (one) => one.username,
      OBJECTS: (one) => one.object_count,
      DIFFERS: (one) => one.differs.map(named),
    }),
  ],
  'GET /revisions': [
    listing(
      'GET /revisions',
      'revisions',
      {
        ID: (one) => one.revision_id,
        TIME: (one) => instant(one.created_date),
        WHO: (one) => one.username,
        ACTION: (one) => one.action,
        CHANGED: (one) => one.items.map(named),
        STATE: (one) => one.state,
      },
      { REASON: (one) => one.reason, PINNED: (one) => one.is_pinned, OBJECTS: (one) => one.item_count },
    ),
  ],
  'GET /revisions/{id}/diff': [
    listing('GET /revisions/{id}/diff', 'items', {
      KIND: (one) => one.kind,
      KEY: (one) => one.target_key,
      TITLE: (one) => one.title,
      WHAT: (one) => one.what,
      FIELDS: (one) => one.changes.map(({ field }) => field),
    }),
  ],
  'GET /incidents': [
    listing(
      'GET /incidents',
      'incidents',
      {
        ID: (one) => one.incident_id,
        WHAT: subject,
        STATE: (one) => (one.ended_at === null ? one.state : 'ended'),
        BEGAN: (one) => instant(one.began_at),
        LASTED: (one) => seconds(one.duration_seconds),
        REASON: (one) => one.reason,
      },
      {
        RULES: (one) => one.affected_routes,
        CONNECTIONS: (one) => one.affected_connections,
        ACKNOWLEDGED: (one) => one.acknowledged?.by,
        SILENCED: (one) => instant(one.silenced?.until),
      },
    ),
  ],
  'GET /reconcile/attention': [
    listing(
      'GET /reconcile/attention',
      'incidents',
      { WHAT: subject, STATE: (one) => one.state, SINCE: (one) => instant(one.since), REASON: (one) => one.reason },
      { RULES: (one) => one.affected_routes, CONNECTIONS: (one) => one.affected_connections },
    ),
  ],
  'GET /reconcile': [
    listing('GET /reconcile', 'items', {
      INTERFACE: (one) => one.interface_name,
      TUNNEL: (one) => one.tunnel_id,
      STATUS: (one) => one.status,
      DETAIL: (one) => one.detail,
      ACTIONS: (one) => one.actions,
    }),
    listing('GET /reconcile', 'routes', {
      RULE: (one) => one.route_rule_id,
      TITLE: (one) => one.title,
      STATUS: (one) => one.status,
      DETAIL: (one) => one.detail,
      ACTIONS: (one) => one.actions,
    }),
    listing('GET /reconcile', 'networks', {
      NETWORK: (one) => one.network_id,
      DESTINATION: (one) => one.destination,
      STATUS: (one) => one.status,
      DETAIL: (one) => one.detail,
      ACTIONS: (one) => one.actions,
    }),
  ],
  'GET /monitor/summary': [
    listing(
      'GET /monitor/summary',
      'tunnels',
      {
        ID: (one) => one.tunnel_id,
        INTERFACE: (one) => one.interface_name,
        STATE: (one) => one.state,
        SINCE: (one) => instant(one.since),
        LOSS: (one) => percent(one.stats.loss_percent),
        RTT: (one) => milliseconds(one.stats.rtt_avg_ms),
        REASON: (one) => one.reason,
      },
      { NAME: (one) => one.display_name, TARGET: (one) => one.target },
    ),
  ],
  'GET /monitor/uptime': [
    listing('GET /monitor/uptime', 'tunnels', {
      ID: (one) => one.tunnel_id,
      UPTIME: (one) => percent(one.uptime_percent),
      UP: (one) => seconds(one.up_seconds),
      DEGRADED: (one) => seconds(one.degraded_seconds),
      DOWN: (one) => seconds(one.down_seconds),
    }),
  ],
  'GET /tunnels/{id}/history': [
    listing('GET /tunnels/{id}/history', 'points', {
      FROM: (one) => instant(one.bucket_start),
      WORST: (one) => one.worst_state,
      LOSS: (one) => percent(one.loss_percent),
      RTT: (one) => milliseconds(one.rtt_avg_ms),
      JITTER: (one) => milliseconds(one.jitter_ms),
      IN: (one) => bytes(one.rx_bytes),
      OUT: (one) => bytes(one.tx_bytes),
    }),
  ],
  'GET /diagnostics/runs': [
    listing('GET /diagnostics/runs', 'runs', {
      ID: (one) => one.diagnostic_run_id,
      TUNNEL: (one) => one.tunnel_id,
      TYPE: (one) => one.type,
      STARTED: (one) => instant(one.started_date),
      FINISHED: (one) => instant(one.finished_date),
      SUCCESS: (one) => (one.running ? 'running' : one.is_success),
    }),
  ],
  'GET /audit': [
    listing(
      'GET /audit',
      'entries',
      {
        ID: (one) => one.audit_log_id,
        DATE: (one) => instant(one.created_date),
        WHO: (one) => one.username,
        ACTION: (one) => one.action,
        TARGET: ({ target_type, target_id, target_name }) =>
          subject({ kind: target_type, id: target_id, name: target_name }),
        SUCCESS: (one) => one.is_success,
      },
      { ADDRESS: (one) => one.client_ip, ERROR: (one) => one.error_message, REQUEST: (one) => one.request_id },
    ),
  ],
  'GET /routes/traffic/summary': [
    listing('GET /routes/traffic/summary', 'routes', {
      ID: (one) => one.route_rule_id,
      TITLE: (one) => one.title,
      IN: (one) => rate(one.rx_bytes_per_second),
      OUT: (one) => rate(one.tx_bytes_per_second),
      'TOTAL IN': (one) => bytes(one.rx_bytes_since_creation),
      'TOTAL OUT': (one) => bytes(one.tx_bytes_since_creation),
      CONNECTIONS: (one) => one.active_connections,
    }),
  ],
  'GET /routes/{id}/traffic': [
    listing('GET /routes/{id}/traffic', 'points', {
      AT: (one) => instant(one.at),
      IN: (one) => rate(one.rx_bytes_per_second),
      OUT: (one) => rate(one.tx_bytes_per_second),
    }),
  ],
  'GET /routes/{id}/traffic/history': [
    listing('GET /routes/{id}/traffic/history', 'samples', {
      FROM: (one) => instant(one.bucket_start_date),
      IN: (one) => bytes(one.rx_bytes),
      OUT: (one) => bytes(one.tx_bytes),
      CONNECTIONS: (one) => one.active_connections,
      NEW: (one) => one.new_connections,
    }),
  ],
  'GET /system/history': [
    listing('GET /system/history', 'points', {
      FROM: (one) => instant(one.bucket_start),
      CPU: (one) => percent(one.cpu_avg_percent),
      MEMORY: (one) => percent(one.memory_avg_percent),
      DISK: (one) => percent(one.disk_max_percent),
      IN: (one) => bytes(one.rx_bytes),
      OUT: (one) => bytes(one.tx_bytes),
    }),
  ],
  'GET /system/health': [
    listing('GET /system/health', 'components', {
      COMPONENT: (one) => one.name,
      STATUS: (one) => one.status,
      DETAIL: (one) => one.detail,
    }),
  ],
  'GET /system/interfaces': [
    listing('GET /system/interfaces', 'interfaces', {
      NAME: (one) => one.name,
      KIND: (one) => one.kind || one.class,
      STATE: (one) => one.oper_state,
      MTU: (one) => one.mtu,
      ADDRESSES: (one) => one.addresses,
    }),
  ],
  'GET /system/routes': [
    listing('GET /system/routes', 'routes', {
      DESTINATION: (one) => one.destination,
      GATEWAY: (one) => one.gateway,
      DEVICE: (one) => one.device,
      SOURCE: (one) => one.source,
      TABLE: (one) => one.table,
      METRIC: (one) => one.metric,
      PROTOCOL: (one) => one.protocol,
    }),
  ],
  'GET /system/listeners': [
    listing('GET /system/listeners', 'listeners', {
      ID: (one) => one.listener_id,
      ADDRESS: (one) => one.address,
      PORT: (one) => one.port,
      TLS: (one) => one.is_tls,
      STATE: (one) => one.state,
      OPEN: (one) => (one.is_open ? true : one.errno || false),
      'CLOSES IN': (one) => seconds(one.seconds_left),
    }),
  ],
  'GET /settings/schema': [
    listing(
      'GET /settings/schema',
      'settings',
      {
        KEY: (one) => one.key,
        VALUE: (one) => JSON.stringify(one.value),
        DESCRIPTION: (one) => one.description,
      },
      { TYPE: (one) => one.type, DEFAULT: (one) => JSON.stringify(one.default) },
    ),
  ],
}
