// Which objects a transaction touches, as triggers of this connection note it: no code that writes a record can forget.
import { sql } from 'kysely'
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import type { WriteDb } from '../../platform/context.ts'
import { FOLLOWED, NOTES, type Followed } from '../safe-apply/store-followed.ts'

export interface Touched {
  readonly kind: RevisionKind
  readonly target_key: string
}

/** Takes them; null where this connection has noted nothing so far, and anything may have changed. */
export async function takeTouched(db: WriteDb): Promise<Touched[] | null> {
  if (!(await isNoting(db))) {
    await beginNoting(db)
    return null
  }
  const { rows } = await sql<Touched>`select kind, target_key from temp.revision_touched`.execute(db)
  if (rows.length > 0) await sql`delete from temp.revision_touched`.execute(db)
  return rows
}

async function isNoting(db: WriteDb): Promise<boolean> {
  const { rows } = await sql`select 1 from temp.sqlite_master where name = 'revision_touched'`.execute(db)
  return rows.length > 0
}

async function beginNoting(db: WriteDb): Promise<void> {
  await sql`
    create temp table revision_touched (kind text not null, target_key text not null, primary key (kind, target_key))
    without rowid`.execute(db)
  for (const one of FOLLOWED) for (const event of await eventsOf(db, one)) await noteOn(db, one, event)
}

interface Event {
  readonly name: string
  readonly on: string
  readonly row: 'old' | 'new'
}

/** How a change came out, which a record says of itself, changes no object. */
async function eventsOf(db: WriteDb, { table }: Followed): Promise<Event[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
  const columns = rows.map(({ name }) => name).filter((name) => !NOTES.includes(name))
  return [
    { name: 'insert', on: 'insert', row: 'new' },
    { name: 'update', on: `update of ${columns.map((name) => `"${name}"`).join(', ')}`, row: 'new' },
    { name: 'delete', on: 'delete', row: 'old' },
  ]
}

async function noteOn(db: WriteDb, { table, key, named, parent }: Followed, event: Event): Promise<void> {
  const { kind, key: column } = named ? { ...named, key } : (parent ?? { kind: '', key: '' })
  const note = `insert or ignore into revision_touched values ('${kind}', ${event.row}."${column}")`
  await sql
    .raw(
      `create temp trigger "revision_${event.name}_${table}" after ${event.on} on main."${table}" begin ${note}; end`,
    )
    .execute(db)
}
