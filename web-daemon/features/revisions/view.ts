// A revision as it is answered.
import { AUDIT_ACTION_NAMES, AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import type { RevisionDetail, RevisionItem, RevisionView } from '@panel/shared/api/revisions.ts'
import type { ReadDb } from '../../platform/context.ts'
import { groupedBy } from '../../platform/db/grouped.ts'
import { differenceOf, inTheirOrder, whatOf } from './difference.ts'
import { itemsIn, namesIn, openWindow } from './store.ts'
import type { RevisionRow } from './table.ts'

const ITEMS_SHOWN = 20

export async function revisionViews(db: ReadDb, rows: readonly RevisionRow[]): Promise<RevisionView[]> {
  const window_id = await openWindow(db)
  const items = groupedBy(
    'revision_id',
    await namesIn(
      db,
      rows.map(({ revision_id }) => revision_id),
    ),
  )
  return rows.map((row) => {
    const own = [...(items.get(row.revision_id) ?? [])]
      .map(({ kind, target_key, title, was, is }) => ({
        kind: kind as RevisionItem['kind'],
        target_key,
        title,
        what: whatOf(was === 1, is === 1),
      }))
      .sort(inTheirOrder)
    return { ...headOf(row, window_id), item_count: own.length, items: own.slice(0, ITEMS_SHOWN) }
  })
}

export async function revisionDetail(db: ReadDb, row: RevisionRow): Promise<RevisionDetail> {
  const items = (await itemsIn(db, row.revision_id)).sort(inTheirOrder).map(differenceOf)
  return { ...headOf(row, await openWindow(db)), item_count: items.length, items }
}

const headOf = (row: RevisionRow, open_window: string | null): Omit<RevisionView, 'items' | 'item_count'> => ({
  revision_id: row.revision_id,
  created_date: row.created_date,
  user_id: row.user_id,
  username: row.username,
  origin: row.origin,
  file_name: row.file_name,
  action: AUDIT_ACTION_NAMES.find((name) => AUDIT_ACTIONS[name] === row.audit_action_id) ?? '',
  request_id: row.request_id,
  reason: row.reason,
  state:
    row.is_taken_back === 1
      ? 'taken_back'
      : row.window_id !== null && row.window_id === open_window
        ? 'waiting'
        : 'kept',
  is_pinned: row.is_pinned === 1,
})
