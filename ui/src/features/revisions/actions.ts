// What is done with a revision: go back to it, keep it, save it.
import type { ObjectDifference, RestoreStep, RevisionView } from '@panel/shared/api/revisions.ts'
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { saveBackup } from '../../core/save-file.ts'
import { toasts } from '../../core/toasts.svelte.ts'
import { objectName } from './labels.ts'

const STALE = ['/revisions', '/settings', '/pools', '/tunnels', '/routes', '/networks', '/reconcile', '/monitor']

/** Everything, or one object. The steps, or null where nothing was tried. */
export async function restore(id: number, item?: ObjectDifference): Promise<readonly RestoreStep[] | null> {
  const body = item ? { only: [{ kind: item.kind, target_key: item.target_key }] } : {}
  const title = item ? t('revisions.sure_one', { name: objectName(item), id }) : t('revisions.sure', { id })
  const request = { method: 'POST', path: `/revisions/${id}/restore`, body } as const
  if (!(await confirm({ title, text: t('revisions.sure_text'), action: t('revisions.restore'), request }))) return null
  try {
    const { steps, is_taken_back } = await call('POST /revisions/{id}/restore', { id, body })
    if (!is_taken_back) toasts.success(t('revisions.restored'), null)
    return steps
  } catch (failure) {
    toasts.failure(t('revisions.not_restored'), failure)
    return null
  } finally {
    await invalidate(...STALE)
  }
}

export const setPinned = ({ revision_id: id, is_pinned }: RevisionView): Promise<unknown> =>
  act(
    { done: t(is_pinned ? 'revisions.unpin' : 'revisions.pinned'), failing: t('revisions.not_pinned') },
    () => call('POST /revisions/{id}/pin', { id, body: { is_pinned: !is_pinned } }),
    { stale: ['/revisions'] },
  )

export const download = (id: number): Promise<unknown> =>
  act({ done: t('revisions.saved'), failing: t('revisions.not_saved') }, async () =>
    saveBackup(await call('GET /revisions/{id}/backup', { id })),
  )
