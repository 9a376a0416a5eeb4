// The endpoints of the section Monitoring.
import { command, ok, query, stream } from '../../platform/http/endpoint.ts'
import { showHistory } from './history.ts'
import type { Monitor } from './monitor.ts'
import { showStatus } from './status.ts'
import { toggleMonitor } from './toggle.ts'
import { showUptime } from './uptime.ts'

const tag = 'monitor'

export function monitorEndpoints(monitor: Monitor) {
  return [
    query(
      'GET /tunnels/{id}/status',
      {
        tag,
        summary: 'How a tunnel is as its probes show it, why, and its last changes of state.',
      },
      showStatus(monitor),
    ),
    query(
      'GET /tunnels/{id}/history',
      {
        tag,
        summary: 'The stored history of a tunnel; a point of several intervals shows the worst state of them.',
      },
      showHistory(monitor),
    ),
    command(
      'POST /tunnels/{id}/monitor/enable',
      {
        tag,
        summary: 'Watch a tunnel, whatever the setting says. To follow the setting, set is_monitor_enabled to null.',
        audit: 'MonitorToggle',
      },
      toggleMonitor(monitor, true),
    ),
    command(
      'POST /tunnels/{id}/monitor/disable',
      {
        tag,
        summary: 'Stop watching a tunnel, whatever the setting says.',
        audit: 'MonitorToggle',
      },
      toggleMonitor(monitor, false),
    ),
    query('GET /monitor/summary', { tag, summary: 'How all tunnels are.' }, async () => {
      await monitor.settled()
      return ok(monitor.summary())
    }),
    query(
      'GET /monitor/uptime',
      {
        tag,
        summary: 'How long each tunnel was up, and its worst state in each of 90 parts of the time.',
      },
      showUptime(monitor),
    ),
    stream(
      'GET /monitor/stream',
      {
        tag,
        summary:
          'How all tunnels are ("summary"), then each change ("tunnel", "tunnel_deleted", "reconcile", "route", "heal", "safe_apply").',
      },
      async () => {
        await monitor.settled()
        return monitor.feed.topic.source
      },
    ),
  ]
}
