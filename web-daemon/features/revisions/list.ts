// Reads the revisions: all of them, those of one object, and one with all that it changed.
import type { ListRevisionsAnswer, PinRevisionBody, RevisionDetail } from '@panel/shared/api/revisions.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { parsePaging } from '../../platform/http/paging.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { foldOldest } from './store-fold.ts'
import { findRevision, pageOfRevisions } from './store.ts'
import type { RevisionRow } from './table.ts'
import { revisionDetail, revisionViews } from './view.ts'

export async function listRevisions({ db }: ReadContext, { query }: Incoming): Promise<Answer<ListRevisionsAnswer>> {
  const paging = parsePaging(query)
  const { kind, target_key, request_id } = query
  const { rows, total } = await pageOfRevisions(db, { kind, target_key, request_id }, paging)
  return ok({ revisions: await revisionViews(db, rows), total, ...paging })
}

export async function getRevision(context: ReadContext, { params }: Incoming): Promise<Answer<RevisionDetail>> {
  return ok(await revisionDetail(context.db, await requireRevision(context, params)))
}

export async function requireRevision(
  { db, settings }: Pick<ReadContext, 'db' | 'settings'>,
  { id = 0 }: Incoming['params'],
): Promise<RevisionRow> {
  const found = await findRevision(db, id)
  if (found) return found
  const kept = settings.get('system.revisions_kept')
  throw new Refusal('NOT_FOUND', message('revision.not_found', { revision_id: id, kept }))
}

export async function pinRevision(
  context: StoreContext,
  { params, body }: Incoming<PinRevisionBody>,
): Promise<Answer<RevisionDetail>> {
  const row = await requireRevision(context, params)
  const { revision_id } = row
  const { note, db, settings } = context
  note.target('revision', revision_id)
  note.operation(body.is_pinned ? 'Pinned' : 'Unpinned')
  // What is not pinned any more may be folded away at once.
  const detail = await revisionDetail(db, row)
  await db.transaction().execute(async (transaction) => {
    const is_pinned = Number(body.is_pinned)
    await transaction.updateTable('revision').set({ is_pinned }).where('revision_id', '=', revision_id).execute()
    await foldOldest(transaction, settings.get('system.revisions_kept'))
  })
  return ok({ ...detail, is_pinned: body.is_pinned })
}
