// What mends an incident.
import type { Incident } from '@panel/shared/api/incidents.ts'
import { incidentText } from '../incidents/names.ts'
import { reapplyNamed } from '../reconcile/actions.ts'
import { reapply as reapplyRule } from '../routes/actions.ts'

export const mend = (incident: Incident): Promise<unknown> =>
  incident.kind === 'tunnel'
    ? reapplyNamed(incident.id, incidentText(incident))
    : reapplyRule({ route_rule_id: incident.id ?? 0, route_rule_title: incident.name })
