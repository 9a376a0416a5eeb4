// Reads and writes the files that were applied, and finds ids that nothing has had.
import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
import { areAmong } from '../../platform/db/among.ts'
import type { RevisionObject } from '../revisions/items.ts'
import { pack, unpack } from '../revisions/packed.ts'
import type { Kind } from './document.ts'

const TABLES = { pool: 'address_pool', tunnel: 'tunnel', network: 'network', route: 'route_rule' } as const

/** The next one of each kind. */
export async function nextIds(db: ReadDb): Promise<Record<Kind, number>> {
  const next = async (kind: Kind): Promise<[Kind, number]> => {
    const table = TABLES[kind]
    const row = await db
      .selectFrom(table)
      .select(sql<number>`coalesce(max(${sql.ref(`${table}_id`)}), 0)`.as('last'))
      .executeTakeFirst()
    return [kind, (row?.last ?? 0) + 1]
  }
  return Object.fromEntries(await Promise.all((Object.keys(TABLES) as Kind[]).map(next))) as Record<Kind, number>
}

export type Target = Pick<RevisionObject, 'kind' | 'target_key'>
type Applied = Target & Pick<RevisionObject, 'item'>

/** `target`: only that one, if it is of the file. */
export async function objectsOf(db: ReadDb, name: string, target: Target | null = null): Promise<Applied[]> {
  let all = db.selectFrom('desired_object').selectAll().where('name', '=', name)
  if (target) all = all.where('kind', '=', target.kind).where('target_key', '=', target.target_key)
  return (await all.execute()).map((row) => ({
    kind: row.kind as RevisionObject['kind'],
    target_key: row.target_key,
    item: unpack(row.item),
  }))
}

export const allFiles = (db: ReadDb) => db.selectFrom('desired_file').selectAll().orderBy('name').execute()

/** One of the objects that belongs to a locked file other than `file`, with the name of that. */
export async function lockedObject(db: ReadDb, targets: readonly Target[], file: string | null) {
  return db
    .selectFrom('desired_object')
    .innerJoin('desired_file', 'desired_file.name', 'desired_object.name')
    .select(['desired_object.name', 'kind', 'target_key'])
    .where('is_locked', '=', 1)
    .where('desired_object.name', 'is not', file)
    .where(areAmong(targets))
    .limit(1)
    .executeTakeFirst()
}

/** Returns whether there is such a file. */
export async function setLocked(db: WriteDb, name: string, is_locked: boolean): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('desired_file')
    .set({ is_locked: Number(is_locked) })
    .where('name', '=', name)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

interface File {
  readonly name: string
  readonly digest: string
  readonly applied_date: string
  readonly user_id: number | null
  readonly username: string
  /** Absent: it stays as it is. */
  readonly is_locked?: number
}

/** What an earlier file of the name had is forgotten. Call it in a transaction. */
export async function keepFile(db: WriteDb, file: File, objects: readonly Applied[]): Promise<void> {
  await db.deleteFrom('desired_object').where('name', '=', file.name).execute()
  const { name: _key, ...rest } = file
  await db
    .insertInto('desired_file')
    .values(file)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(rest))
    .execute()
  for (const { kind, target_key, item } of objects)
    await db
      .insertInto('desired_object')
      .values({ name: file.name, kind, target_key, item: pack(item) })
      .execute()
}
