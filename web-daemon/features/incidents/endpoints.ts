// The endpoints of incidents: what needs the operator now, and the history of it.
import { command, query } from '../../platform/http/endpoint.ts'
import type { StoreContext } from '../../platform/context.ts'
import { showAttention } from './attention.ts'
import { acknowledge, silence } from './care.ts'
import type { AttentionDeps } from './derive.ts'
import { listIncidents, showIncident } from './list.ts'

const tag = 'reconcile'

export interface IncidentEndpointDeps extends AttentionDeps {
  /** Looks again for notifications that waited until then. */
  readonly onSilenceChanged: (db: StoreContext['db'], waitedUntil: string) => Promise<void>
}

export const incidentEndpoints = (deps: IncidentEndpointDeps) => [
  query(
    'GET /reconcile/attention',
    {
      tag,
      summary:
        'What needs the operator: tunnels and relay rules that are not as they should be, and what they take down.',
    },
    showAttention(deps),
  ),
  query(
    'GET /incidents',
    { tag, summary: 'Incidents that last and those that are over, with how long they lasted and what they took down.' },
    listIncidents,
  ),
  query(
    'GET /incidents/{id}',
    { tag, summary: 'One of them, with what changed on the host in the ten minutes before.' },
    showIncident,
  ),
  command(
    'POST /incidents/{id}/acknowledge',
    {
      tag,
      summary: 'Say that an operator has seen to an incident; with "acknowledged": false, take it back.',
      statuses: [409],
      audit: 'IncidentAcknowledge',
    },
    acknowledge,
  ),
  command(
    'POST /incidents/{id}/silence',
    {
      tag,
      summary: 'Send nothing about an incident and do not count it until then; with "until": null, end that.',
      statuses: [409],
      audit: 'IncidentSilence',
    },
    silence(deps.onSilenceChanged),
  ),
]
