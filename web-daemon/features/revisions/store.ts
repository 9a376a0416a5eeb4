// Reads the stored revisions.
import SQLite from 'better-sqlite3'
import { sql } from 'kysely'
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import type { ReadDb } from '../../platform/context.ts'
import { isAmong } from '../../platform/db/among.ts'
import type { Paging } from '../../platform/http/paging.ts'
import { nameOf, type RevisionObject } from './items.ts'
import { DIGEST_OF_NOTHING, digestOf, unpack, withDigest, type Item } from './packed.ts'
import type { RevisionRow } from './table.ts'

export interface StoredItem {
  readonly revision_id: number
  readonly kind: RevisionKind
  readonly target_key: string
  readonly title: string
  readonly before: Item | null
  readonly after: Item | null
}

/** An object whose history is read. */
export interface Target {
  readonly kind?: string | undefined
  readonly target_key?: string | undefined
}

interface Wanted extends Target {
  readonly request_id?: string | undefined
}

const shown = (db: ReadDb) => db.selectFrom('revision').where('is_shown', '=', 1)

function about(db: ReadDb, { kind, target_key, request_id }: Wanted) {
  let found = shown(db)
  if (request_id !== undefined) found = found.where('request_id', '=', request_id)
  if (kind === undefined && target_key === undefined) return found
  let items = db.selectFrom('revision_item').select('revision_id')
  if (kind !== undefined) items = items.where('kind', '=', kind)
  if (target_key !== undefined) items = items.where('target_key', '=', target_key)
  found = found.where('revision_id', 'in', items)
  return found
}

export async function pageOfRevisions(
  db: ReadDb,
  wanted: Wanted,
  { limit, offset }: Paging,
): Promise<{ rows: RevisionRow[]; total: number }> {
  const all = about(db, wanted)
  const { total } = await all.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await all.selectAll().orderBy('revision_id', 'desc').limit(limit).offset(offset).execute()
  return { rows, total }
}

export const findRevision = async (db: ReadDb, revision_id: number): Promise<RevisionRow | null> =>
  (await shown(db).selectAll().where('revision_id', '=', revision_id).executeTakeFirst()) ?? null

/** What every one changed: its kind, key and title, and which of the two states it has. */
export const namesIn = (db: ReadDb, revision_ids: readonly number[]) =>
  db
    .selectFrom('revision_item')
    .select(['revision_id', 'kind', 'target_key', 'title'])
    .select(sql<number>`before is not null`.as('was'))
    .select(sql<number>`after is not null`.as('is'))
    .where(isAmong('revision_id', revision_ids))
    .orderBy('revision_id')
    .execute()

export async function itemsIn(db: ReadDb, revision_id: number): Promise<StoredItem[]> {
  const rows = await db.selectFrom('revision_item').selectAll().where('revision_id', '=', revision_id).execute()
  return rows.map((row) => ({
    ...row,
    kind: row.kind as RevisionKind,
    before: row.before && unpack(row.before),
    after: row.after && unpack(row.after),
  }))
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

export const stateNow = async (db: ReadDb): Promise<RevisionObject[]> => (await undone(db, null)).state

/**
 * Everything as it was right after the revision: as it is now, with all that came later undone. Throws where that does
 * not lead to what the revision has a digest of.
 */
export async function stateAt(db: ReadDb, revision_id: number): Promise<RevisionObject[]> {
  const { state, digest } = await undone(db, revision_id)
  const found = state
    .map(({ kind, target_key, item }) => digestOf(kind, target_key, item))
    .reduce(withDigest, DIGEST_OF_NOTHING)
  if (found !== digest) throw new SQLite.SqliteError('the way back to a revision leads elsewhere', 'SQLITE_CORRUPT')
  return state
}

/** Read by one statement, so that no change comes between. `revision_id` null: nothing is undone. */
async function undone(db: ReadDb, revision_id: number | null): Promise<{ state: RevisionObject[]; digest: string }> {
  const rows = await db
    .selectFrom('revision_object')
    .select(['kind', 'target_key', 'title'])
    .select([sql<Buffer | null>`item`.as('item'), sql<number | null>`null`.as('at')])
    .unionAll(
      db
        .selectFrom('revision_item')
        .select(['kind', 'target_key', 'title', 'before as item'])
        .select(sql<number | null>`revision_id`.as('at'))
        .where('revision_id', '>', revision_id),
    )
    .unionAll(
      db
        .selectFrom('revision')
        .select([sql<string>`''`.as('kind'), 'digest as target_key', sql<string>`''`.as('title')])
        .select([sql<Buffer | null>`null`.as('item'), sql<number | null>`revision_id`.as('at')])
        .where('revision_id', '=', revision_id),
    )
    .orderBy(sql`at desc nulls first`)
    .execute()
  const objects = new Map<string, RevisionObject>()
  let digest = ''
  for (const { kind, target_key, title, item: packed } of rows) {
    if (kind === '') digest = target_key
    else if (packed === null) objects.delete(nameOf({ kind, target_key }))
    else {
      const item = unpack(packed)
      const named = { kind: kind as RevisionKind, target_key, title: titleIn(kind, item) ?? title }
      objects.set(nameOf(named), { ...named, item })
    }
  }
  return { state: [...objects.values()], digest }
}

const TITLES: Readonly<Record<string, string>> = {
  pool: 'address_pool_title',
  tunnel: 'interface_name',
  network: 'network_title',
  route: 'route_rule_title',
}

/** The name that it had then. */
function titleIn(kind: string, item: Item): string | null {
  const title = item[TITLES[kind] ?? '']
  return typeof title === 'string' ? title : null
}

export const openWindow = async (db: ReadDb): Promise<string | null> =>
  (await db.selectFrom('safe_apply').select('window_id').where('ended_how', 'is', null).executeTakeFirst())
    ?.window_id ?? null
