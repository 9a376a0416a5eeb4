// Switches the monitoring of one tunnel on or off, whatever the setting says (reference.md, POST monitor/enable and
// monitor/disable; decisions.md, M6).
import type { MonitorToggleAnswer } from '@panel/shared/api/monitor.ts'
import { save } from '../../change/engine.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { idIn } from '../tunnels/get.ts'
import { targetOf } from '../tunnels/target.ts'
import { tunnelRecords } from '../tunnels/resource.ts'
import { observe, tunnelView } from '../tunnels/view.ts'
import type { Monitor } from './monitor.ts'

export function toggleMonitor(monitor: Monitor, monitor_enabled: boolean) {
  return (context: StoreContext, { params }: Incoming): Promise<Answer<MonitorToggleAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, idIn(params))
      const record = await save(context, tunnelRecords(context), {
        id: stored.tunnel_id,
        wanted: { ...stored, is_monitor_enabled: monitor_enabled, updated_date: context.now().toISOString() },
      })
      context.note.operation(`${monitor_enabled ? 'Watch' : 'Do not watch'} ${record.interface_name}`)
      await monitor.settled()
      const observed = (await observe(context.request, [record.interface_name]))(record.interface_name)
      const answer: MonitorToggleAnswer = {
        tunnel_id: record.tunnel_id,
        monitor_enabled,
        tunnel: tunnelView(record, observed),
      }
      return ok(answer)
    })
}
