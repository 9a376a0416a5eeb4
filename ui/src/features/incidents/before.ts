// What changed in the ten minutes before an incident, on one line of time: requests, other incidents, and what the
// kernel reported.
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { IncidentAnswer, ListIncidentsAnswer } from '@panel/shared/api/incidents.ts'
import type { State } from '../../components/state.ts'
import { t } from '../../core/i18n.svelte.ts'
import { actionLabel, targetKind } from '../audit/labels.ts'
import { changeLabel, whatLabel } from './labels.ts'
import { incidentText } from './names.ts'

export const BEFORE_MS = 600_000

export interface Line {
  readonly at: string
  readonly text: string
  /** Who did it, "" if that is not known. */
  readonly by: string
  readonly state: State
  readonly to: string | null
}

type Entry = ListAuditAnswer['entries'][number]

const ofEntry = (entry: Entry): Line => ({
  at: entry.created_date,
  text: [actionLabel(entry.action), entry.target_name || (entry.target_type && targetKind(entry.target_type))]
    .filter((part) => part !== '')
    .join(' · '),
  by: entry.username,
  state: entry.is_success ? 'disabled' : 'degraded',
  to: `/audit?entry=${entry.audit_log_id}`,
})

/** The latest first. */
export function linesBefore(
  incident: IncidentAnswer,
  entries: ListAuditAnswer['entries'],
  others: ListIncidentsAnswer['incidents'],
): Line[] {
  const from = new Date(Date.parse(incident.began_at) - BEFORE_MS).toISOString()
  const isBefore = (at: string): boolean => at >= from && at <= incident.began_at
  const ofOthers = others
    .filter(({ incident_id }) => incident_id !== incident.incident_id)
    .flatMap((one): Line[] => {
      const to = `/incidents?incident=${one.incident_id}`
      const began = t('incidents.began', { what: whatLabel(one), name: incidentText(one) })
      const ended = t('incidents.ended', { name: incidentText(one) })
      return [
        { at: one.began_at, text: began, by: '', state: one.state, to },
        ...(one.ended_at === null ? [] : [{ at: one.ended_at, text: ended, by: '', state: 'up' as const, to }]),
      ].filter(({ at }) => isBefore(at))
    })
  const ofHost = incident.host_changes.map((one): Line => ({
    at: one.at,
    text: changeLabel(one),
    by: one.by ?? '',
    state: 'unknown',
    to: null,
  }))
  return [...entries.map(ofEntry), ...ofOthers, ...ofHost].sort((a, b) => b.at.localeCompare(a.at))
}
