// GET /tunnels/{id}/status: the state of one tunnel and its last changes (reference.md, GET /tunnels/{id}/status;
// decisions.md, S5, S6).
import { MONITOR_STATES, titleOf } from '@panel/shared/api/base/lookups.ts'
import type { MonitorEvent, MonitorStatusAnswer } from '@panel/shared/api/monitor.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn, noSuchTunnel } from '../tunnels/get.ts'
import { requireTunnel } from '../tunnels/target.ts'
import type { Monitor } from './monitor.ts'
import { findEvents } from './store.ts'
import type { MonitorEventRow } from './table.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

export function showStatus(monitor: Monitor) {
  return async ({ db }: ReadContext, { params }: Incoming): Promise<Answer<MonitorStatusAnswer>> => {
    const { tunnel_id } = await requireTunnel(db, idIn(params))
    await monitor.settled()
    const watched = monitor.tunnels.of(tunnel_id)
    if (!watched) throw noSuchTunnel(tunnel_id)
    const answer: MonitorStatusAnswer = {
      ...watched.status(),
      events: (await findEvents(db, tunnel_id)).map(eventView),
    }
    return ok(answer)
  }
}

const eventView = (row: MonitorEventRow): MonitorEvent => ({
  ...row,
  reason_message: fromStoredJson(row.reason_message) as MonitorEvent['reason_message'],
  from_state: titleOf(MONITOR_STATES, row.from_monitor_state_id),
  to_state: titleOf(MONITOR_STATES, row.to_monitor_state_id),
})
