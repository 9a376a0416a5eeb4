// Reads and writes the files that were applied, and finds ids that nothing has had.
import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../platform/context.ts'
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

/** The digest of everything, as the last revision has it. */
export async function digestNow(db: ReadDb): Promise<string> {
  const last = await db
    .selectFrom('revision')
    .select('digest')
    .orderBy('revision_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.digest ?? ''
}

type Applied = Pick<RevisionObject, 'kind' | 'target_key' | 'item'>

export const objectsOf = async (db: ReadDb, name: string): Promise<Applied[]> =>
  (await db.selectFrom('desired_object').selectAll().where('name', '=', name).execute()).map((row) => ({
    kind: row.kind as RevisionObject['kind'],
    target_key: row.target_key,
    item: unpack(row.item),
  }))

export const allFiles = (db: ReadDb) => db.selectFrom('desired_file').selectAll().orderBy('name').execute()

interface File {
  readonly name: string
  readonly digest: string
  readonly applied_date: string
  readonly user_id: number | null
  readonly username: string
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
