// Applies all rules, once that is confirmed.
import { act } from '../../core/act.ts'
import { call } from '../../core/api.ts'
import { confirm } from '../../core/confirm.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { STALE } from './stale.ts'

export const applyAll = async (): Promise<void> => {
  if (
    !(await confirm({
      title: t('routes.apply_all.title'),
      text: t('routes.apply_all.text'),
      action: t('routes.apply_all.action'),
      request: { method: 'POST', path: '/routes/apply-all' },
    }))
  )
    return
  await act(
    { done: t('routes.done.applied_all'), failing: t('routes.failing.apply_all') },
    () => call('POST /routes/apply-all'),
    { stale: STALE },
  )
}
