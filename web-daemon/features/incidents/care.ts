// What an operator does about an incident: sees to it, or silences it for a while. Both end with the incident.
import {
  SILENCE_MAX_DAYS,
  type AcknowledgeBody,
  type SilenceBody,
  type StoredIncident,
} from '@panel/shared/api/incidents.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { idIn } from '../tunnels/get.ts'
import { foundIncident } from './list.ts'
import { updateIncident, type IncidentRow } from './store.ts'
import { storedView } from './view.ts'

const DAY_MS = 86_400_000

export async function acknowledge(
  { db, now, note }: StoreContext,
  { params, body, session }: Incoming<AcknowledgeBody>,
): Promise<Answer<StoredIncident>> {
  const { acknowledged = true } = body
  const row = await lasting({ db, note }, idIn(params))
  note.operation(`${acknowledged ? 'Acknowledged' : 'No longer acknowledged'}: ${nameOf(row)}`)
  // The first who saw to it stays.
  const isSame = acknowledged === (row.acknowledged_date !== null)
  const values = acknowledged
    ? { acknowledged_date: now().toISOString(), acknowledged_by: session?.username ?? '' }
    : { acknowledged_date: null, acknowledged_by: '' }
  if (!isSame) await updateIncident(db, row.incident_id, values)
  return ok(storedView(isSame ? row : { ...row, ...values }, now()))
}

/** `onChanged`: notifications that wait for the end of a silence may be due earlier, or later. */
export function silence(onChanged: (db: StoreContext['db'], waitedUntil: string) => Promise<void>) {
  return async (
    { db, now, note }: StoreContext,
    { params, body, session, problems }: Incoming<SilenceBody>,
  ): Promise<Answer<StoredIncident>> => {
    const row = await lasting({ db, note }, idIn(params))
    const until = body.until === null ? null : silenceEnd(body.until, now(), problems)
    note.operation(until === null ? `No longer silenced: ${nameOf(row)}` : `Silenced until ${until}: ${nameOf(row)}`)
    const values = { silenced_until: until, silenced_by: until === null ? '' : (session?.username ?? '') }
    await updateIncident(db, row.incident_id, values)
    if (row.silenced_until !== null) await onChanged(db, row.silenced_until)
    return ok(storedView({ ...row, ...values }, now()))
  }
}

function silenceEnd(text: string, now: Date, problems: Problems): string {
  const at = Date.parse(text)
  const invalid = Number.isNaN(at)
    ? message('panel.instant', { field: 'until' })
    : at <= now.getTime()
      ? message('attention.silence_past')
      : at > now.getTime() + SILENCE_MAX_DAYS * DAY_MS
        ? message('attention.silence_long', { days: SILENCE_MAX_DAYS })
        : null
  if (invalid) problems.add('until', 'INVALID_VALUE', invalid)
  problems.throwIfAny()
  return new Date(at).toISOString()
}

async function lasting({ db, note }: Pick<StoreContext, 'db' | 'note'>, id: number): Promise<IncidentRow> {
  const row = await foundIncident(db, id)
  note.target('incident', id)
  if (row.ended_date !== null) throw new Refusal('CONFLICT', message('attention.incident_over'))
  return row
}

const nameOf = ({ kind, subject_name }: IncidentRow): string => `${kind} ${subject_name}`.trim()
