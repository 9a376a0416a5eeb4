// Writes revisions, their items and the objects as the last of them left each.
import { sql } from 'kysely'
import type { WriteDb } from '../../platform/context.ts'
import { areAmong } from '../../platform/db/among.ts'
import type { RevisionItemTable, RevisionObjectTable } from './table.ts'
import type { RevisionKind } from '@panel/shared/api/revisions.ts'
import { nameOf } from './items.ts'
import type { Touched } from './store-touched.ts'

export type Known = Omit<RevisionObjectTable, 'kind'> & { readonly kind: RevisionKind }

/** Objects by kind and key: those that are named, or all. */
export async function knownObjects(db: WriteDb, touched: readonly Touched[] | null): Promise<Map<string, Known>> {
  let known = db.selectFrom('revision_object').selectAll()
  if (touched) known = known.where(areAmong(touched))
  const rows = (await known.execute()) as Known[]
  return new Map(rows.map((row) => [nameOf(row), row]))
}

export const lastRevision = async (db: WriteDb) =>
  db
    .selectFrom('revision')
    .select(['revision_id', 'request_id', 'digest', 'is_shown'])
    .orderBy('revision_id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** An object as a revision leaves it. */
export type Left = Pick<RevisionObjectTable, 'title' | 'item' | 'digest'>

/** Null: there is no such object any more. */
export async function keepObject(db: WriteDb, { kind, target_key }: Touched, left: Left | null): Promise<void> {
  if (left === null)
    await db.deleteFrom('revision_object').where('kind', '=', kind).where('target_key', '=', target_key).execute()
  else
    await db
      .insertInto('revision_object')
      .values({ kind, target_key, ...left })
      .onConflict((conflict) => conflict.columns(['kind', 'target_key']).doUpdateSet(left))
      .execute()
}

/** What the revision holds of the object already stays as it was before. */
export async function keepItem(db: WriteDb, item: RevisionItemTable): Promise<void> {
  const { title, after } = item
  await db
    .insertInto('revision_item')
    .values(item)
    .onConflict((conflict) => conflict.columns(['revision_id', 'kind', 'target_key']).doUpdateSet({ title, after }))
    .execute()
}

/** Items that are as before are none, and a revision without items is none. Looks at these alone. */
export async function forgetUnchanged(db: WriteDb, revision_id: number, changed: readonly Touched[]): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('revision_item')
    .where('revision_id', '=', revision_id)
    .where(areAmong(changed))
    .where(sql<boolean>`before is after`)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return
  const rest = db.selectFrom('revision_item').select('kind').where('revision_id', '=', revision_id)
  await db
    .deleteFrom('revision')
    .where('revision_id', '=', revision_id)
    .where((e) => e.not(e.exists(rest)))
    .execute()
}
