// Actions on a target of notifications.
import type { TestWebhookAnswer, WebhookView } from '@panel/shared/api/webhooks.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { act } from '../../core/act.ts'
import { ApiError } from '../../core/api-error.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'

const STALE: readonly string[] = ['/webhooks']

export const testWebhook = async ({ webhook_id: id, title }: WebhookView): Promise<void> => {
  try {
    showTested(title, await call('POST /webhooks/{id}/test', { id }))
  } catch (failure) {
    toasts.failure(t('webhooks.failing.test', { title }), failure)
  }
  void invalidate(...STALE)
}

/** The receiver's refusal is an answer of the panel, and no failure of the request. */
export function showTested(title: string, { ok, detail_message }: TestWebhookAnswer): void {
  if (ok) toasts.success(t('webhooks.done.tested', { title }))
  else toasts.failure(t('webhooks.failing.test', { title }), refused(detail_message))
}

const refused = (detail: Message): ApiError =>
  new ApiError(200, { code: 'SERVICE_UNAVAILABLE', message: detail.message }, detail)

/** There is no undo: its secrets are not answered. */
export const deleteWebhook = async ({ webhook_id: id, title }: WebhookView): Promise<void> => {
  const isWanted = await confirm({
    title: t('webhooks.delete.title', { title }),
    text: t('webhooks.delete.text'),
    action: t('core.action.delete'),
    isDanger: true,
  })
  if (!isWanted) return
  const outcomes = { done: t('webhooks.done.deleted', { title }), failing: t('webhooks.failing.delete', { title }) }
  await act(outcomes, () => call('DELETE /webhooks/{id}', { id }), { stale: STALE, isGone: true })
}
