// Makes an encrypted backup now.
import { ApiError } from '../../core/api-error.ts'
import { call } from '../../core/api.ts'
import { t } from '../../core/i18n.svelte.ts'
import { invalidate } from '../../core/query.svelte.ts'
import { toasts } from '../../core/toasts.svelte.ts'

/** A directory that cannot be written to is an answer of the panel, and no failure of the request. */
export const runBackup = async (): Promise<void> => {
  try {
    const { ok, detail_message } = await call('POST /backup/elsewhere/run')
    if (!ok) throw new ApiError(200, { code: 'SERVICE_UNAVAILABLE', message: detail_message.message }, detail_message)
    toasts.success(t('backup.run_done'))
  } catch (failure) {
    toasts.failure(t('backup.run_failed'), failure)
  }
  void invalidate('/backup', '/reconcile', '/system')
}
