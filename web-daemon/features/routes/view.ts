// A stored rule as it is sent (decisions.md, F1, F5).
import { APPLY_STATUSES, titleOf } from '@panel/shared/api/base/lookups.ts'
import type { RouteView } from '@panel/shared/api/routes/answers.ts'
import type { RouteRecord } from './record.ts'

export function routeView({ fast_path_state: _state, ...record }: RouteRecord): RouteView {
  const [first] = record.destinations
  if (!first) throw new Error(`Rule ${record.route_rule_id} has no destination`)
  return {
    ...record,
    destination_address: first.address,
    destination_port: first.port,
    destination_port_range_end: first.port_range_end,
    apply_status: titleOf(APPLY_STATUSES, record.apply_status_id),
  }
}
