// Reads and writes incidents.
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { HostChange, Incident } from '@panel/shared/api/incidents.ts'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { fromStoredJson } from '../../platform/db/stored-json.ts'
import type { Paging } from '../../platform/http/paging.ts'
import type { CurrentIncident } from './derive.ts'
import type { IncidentTable } from './table.ts'

type Row = Selectable<IncidentTable>

export interface IncidentRow extends Omit<
  Row,
  'kind' | 'state' | 'reason' | 'route_rule_ids' | 'affected' | 'host_changes'
> {
  readonly kind: Incident['kind']
  readonly state: Incident['state']
  readonly reason: Incident['reason_message'] & { readonly message: string }
  readonly route_rule_ids: readonly number[]
  readonly affected: Incident['affected']
  readonly host_changes: readonly HostChange[]
}

export interface IncidentFilter {
  readonly is_open?: boolean
  readonly kind?: string
  readonly id?: number
  readonly from?: string
  readonly to?: string
}

/** The same as long as an incident lasts: a thing is known by its id, or by its name where it has none. */
export const incidentKey = ({ kind, id, name }: { kind: string; id: number | null; name: string }): string =>
  `${kind} ${id ?? name}`
export const rowKey = ({ kind, subject_id, subject_name }: IncidentRow): string =>
  incidentKey({ kind, id: subject_id, name: subject_name })

const rowFrom = (row: Row): IncidentRow => ({
  ...row,
  kind: row.kind as IncidentRow['kind'],
  state: row.state as IncidentRow['state'],
  reason: fromStoredJson(row.reason) as IncidentRow['reason'],
  route_rule_ids: fromStoredJson(row.route_rule_ids) as number[],
  affected: fromStoredJson(row.affected) as IncidentRow['affected'],
  host_changes: fromStoredJson(row.host_changes) as HostChange[],
})

/** What is stored of one that lasts, as it is now. */
export const presentValues = (one: CurrentIncident) => ({
  subject_name: one.name,
  reason: JSON.stringify({ ...one.reason_message, message: one.reason }),
  route_rule_ids: JSON.stringify(one.rules),
  affected: JSON.stringify(one.affected),
  affected_connections: one.affected_connections,
})

export async function openIncidents(db: ReadDb): Promise<IncidentRow[]> {
  const rows = await db.selectFrom('incident').selectAll().where('ended_date', 'is', null).execute()
  return rows.map(rowFrom)
}

export async function findIncident(db: ReadDb, incident_id: number): Promise<IncidentRow | null> {
  const row = await db.selectFrom('incident').selectAll().where('incident_id', '=', incident_id).executeTakeFirst()
  return row ? rowFrom(row) : null
}

export async function pageOfIncidents(
  db: ReadDb,
  filter: IncidentFilter,
  { limit, offset }: Paging,
): Promise<{ total: number; rows: IncidentRow[] }> {
  const { total } = await filtered(db, filter)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await filtered(db, filter)
    .selectAll()
    .orderBy((e) => e('ended_date', 'is not', null))
    .orderBy('began_date', 'desc')
    .orderBy('incident_id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { total, rows: rows.map(rowFrom) }
}

function filtered(db: ReadDb, { is_open, kind, id, from, to }: IncidentFilter) {
  let found = db.selectFrom('incident')
  if (is_open !== undefined) found = found.where('ended_date', is_open ? 'is' : 'is not', null)
  if (kind !== undefined) found = found.where('kind', '=', kind)
  if (id !== undefined) found = found.where('subject_id', '=', id)
  if (from !== undefined) found = found.where((e) => e.or([e('ended_date', 'is', null), e('ended_date', '>=', from)]))
  return to === undefined ? found : found.where('began_date', '<=', to)
}

export async function insertIncident(db: WriteDb, values: Insertable<IncidentTable>): Promise<void> {
  await db.insertInto('incident').values(values).execute()
}

export async function updateIncident(
  db: WriteDb,
  incident_id: number,
  values: Updateable<IncidentTable>,
): Promise<void> {
  await db.updateTable('incident').set(values).where('incident_id', '=', incident_id).execute()
}

export async function deleteEndedBefore(db: WriteDb, limit: string): Promise<void> {
  await db.deleteFrom('incident').where('ended_date', '<', limit).execute()
}

/** The ids of destinations, by their rules. */
export async function destinationsOfRules(db: ReadDb): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>()
  const rows = await db.selectFrom('route_destination').select(['route_destination_id', 'route_rule_id']).execute()
  for (const { route_rule_id, route_destination_id: id } of rows)
    found.set(route_rule_id, [...(found.get(route_rule_id) ?? []), id])
  return found
}
