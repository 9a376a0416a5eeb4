// Reads and writes the traffic totals, all in one statement.
import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import type { TrafficTotal } from './traffic-total.ts'

/** A host that keeps making interfaces, as with containers, must not fill the disk: the longest unseen are deleted. */
export const NAMES_KEPT = 5000

export async function readTotals(db: ReadDb): Promise<Map<string, TrafficTotal>> {
  const rows = await db.selectFrom('interface_traffic').selectAll().execute()
  return new Map(rows.map(({ interface_name, ...total }) => [interface_name, total]))
}

const COLUMNS = [
  'boot_id',
  'interface_index',
  'rx_bytes_seen',
  'tx_bytes_seen',
  'rx_bytes_since_install',
  'tx_bytes_since_install',
  'seen_date',
] as const

export async function writeTotals(db: WriteDb, totals: ReadonlyMap<string, TrafficTotal>): Promise<void> {
  const rows = JSON.stringify([...totals].map(([interface_name, total]) => ({ interface_name, ...total })))
  const values = sql.join(['interface_name', ...COLUMNS].map((column) => sql`value ->> ${sql.lit(column)}`))
  const replacing = sql.join(COLUMNS.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`))
  await sql`
    insert into interface_traffic (interface_name, ${sql.join(COLUMNS.map((column) => sql.ref(column)))})
    select ${values} from json_each(${rows}) where true
    on conflict (interface_name) do update set ${replacing}`.execute(db)
  await sql`
    delete from interface_traffic where interface_name in (
      select interface_name from interface_traffic order by seen_date desc limit -1 offset ${NAMES_KEPT}
    )`.execute(db)
}
