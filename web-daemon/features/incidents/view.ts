// Incidents as the API answers them.
import type { IncidentAnswer, IncidentRecord, StoredIncident } from '@panel/shared/api/incidents.ts'
import type { IncidentRow } from './store.ts'

/** A silence that has run out is none. */
export const isSilencedAt = ({ silenced_until }: Pick<IncidentRow, 'silenced_until'>, now: Date): boolean =>
  silenced_until !== null && Date.parse(silenced_until) > now.getTime()

export const recordView = (row: IncidentRow, now: Date): IncidentRecord => ({
  incident_id: row.incident_id,
  began_at: row.began_date,
  acknowledged: row.acknowledged_date === null ? null : { at: row.acknowledged_date, by: row.acknowledged_by },
  silenced:
    row.silenced_until !== null && row.ended_date === null && isSilencedAt(row, now)
      ? { until: row.silenced_until, by: row.silenced_by }
      : null,
})

export function storedView(row: IncidentRow, now: Date): StoredIncident {
  const end = row.ended_date === null ? now.getTime() : Date.parse(row.ended_date)
  return {
    kind: row.kind,
    id: row.subject_id,
    name: row.subject_name,
    ...recordView(row, now),
    state: row.state,
    ended_at: row.ended_date,
    duration_seconds: Math.max(0, end - Date.parse(row.began_date)) / 1000,
    reason: row.reason.message,
    reason_message: row.reason,
    affected: [...row.affected],
    affected_routes: row.route_rule_ids.length,
    affected_connections: row.affected_connections,
  }
}

export const detailView = (row: IncidentRow, now: Date): IncidentAnswer => ({
  ...storedView(row, now),
  host_changes: [...row.host_changes],
})
