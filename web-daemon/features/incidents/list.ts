// GET /incidents and GET /incidents/{id}: incidents that last and those that are over.
import type { IncidentAnswer, ListIncidentsAnswer } from '@panel/shared/api/incidents.ts'
import { INCIDENTS_PAGE } from '@panel/shared/api/queries.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, ReadDb } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { idIn } from '../tunnels/get.ts'
import { findIncident, pageOfIncidents, type IncidentFilter, type IncidentRow } from './store.ts'
import { detailView, storedView } from './view.ts'

export async function listIncidents(
  { db, now }: ReadContext,
  { query }: Incoming,
): Promise<Answer<ListIncidentsAnswer>> {
  const paging = parsePaging(query, INCIDENTS_PAGE)
  const { rows, total } = await pageOfIncidents(db, parseFilter(query), paging)
  return ok({ incidents: rows.map((row) => storedView(row, now())), total, ...paging })
}

export async function showIncident({ db, now }: ReadContext, { params }: Incoming): Promise<Answer<IncidentAnswer>> {
  return ok(detailView(await foundIncident(db, idIn(params)), now()))
}

export async function foundIncident(db: ReadDb, id: number): Promise<IncidentRow> {
  const row = await findIncident(db, id)
  if (!row) throw new Refusal('NOT_FOUND', message('attention.no_incident', { incident: id }))
  return row
}

const parseFilter = ({ state = '', kind = '', id = '', from = '', to = '' }: Incoming['query']): IncidentFilter => ({
  ...(state !== '' && { is_open: state === 'open' }),
  ...(kind !== '' && { kind }),
  ...(id !== '' && { id: Number(id) }),
  ...(from !== '' && { from: new Date(from).toISOString() }),
  ...(to !== '' && { to: new Date(to).toISOString() }),
})
