// What mends an incident.
import type { Incident } from '@panel/shared/api/incidents.ts'
import { reapply } from '../reconcile/actions.ts'
import { reapply as reapplyRule } from '../routes/actions.ts'

export const mend = ({ kind, id, name }: Incident): Promise<unknown> =>
  kind === 'tunnel'
    ? reapply({ interface_name: name, tunnel_id: id })
    : reapplyRule({ route_rule_id: id ?? 0, route_rule_title: name })
