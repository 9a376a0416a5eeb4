// Confirms before leaving a page with unsaved changes.
import { confirm } from './confirm.svelte.ts'
import { t } from './i18n.svelte.ts'
import { router } from './router.svelte.ts'

/** Call once in a page's script. */
export const guardUnsaved = (isDirty: () => boolean): void => {
  $effect(() => {
    const guard = async (): Promise<boolean> =>
      !isDirty() ||
      confirm({
        title: t('core.form.leave_title'),
        text: t('core.form.leave'),
        action: t('core.form.leave_action'),
        isDanger: true,
      })
    const hold = (event: BeforeUnloadEvent): void => {
      if (isDirty()) event.preventDefault()
    }
    router.guard = guard
    addEventListener('beforeunload', hold)
    return () => {
      if (router.guard === guard) router.guard = null
      removeEventListener('beforeunload', hold)
    }
  })
}
