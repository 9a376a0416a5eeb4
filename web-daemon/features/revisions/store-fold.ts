// Folds the oldest revisions away: one that nobody may go back to is kept only where the way to a pinned one leads over
// it.
import { sql } from 'kysely'
import type { WriteDb } from '../../platform/context.ts'

/** `kept`: how many are shown that are not pinned. */
export async function foldOldest(db: WriteDb, kept: number): Promise<void> {
  const newest = db
    .selectFrom('revision')
    .select('revision_id')
    .where('is_shown', '=', 1)
    .where('is_pinned', '=', 0)
    .orderBy('revision_id', 'desc')
    .limit(kept)
  const folded = await db
    .updateTable('revision')
    .set({ is_shown: 0 })
    .where('is_shown', '=', 1)
    .where('is_pinned', '=', 0)
    .where('revision_id', 'not in', newest)
    .executeTakeFirst()
  if (folded.numUpdatedRows > 0n) await forgetUnreachable(db)
}

/** Older than every one that is shown. */
async function forgetUnreachable(db: WriteDb): Promise<void> {
  await db
    .deleteFrom('revision')
    .where(sql<boolean>`revision_id < (select min(revision_id) from revision where is_shown = 1)`)
    .execute()
}
