// Confirms before leaving a page with unsaved changes.
import { confirm } from './confirm.svelte.ts'
import { t } from './i18n.svelte.ts'
import { router } from './router.svelte.ts'

/** Call once in a page's script. Leaving all the same discards what was typed. */
export const guardUnsaved = (isDirty: () => boolean, discard: () => void = () => undefined): void => {
  $effect(() => {
    const guard = async (): Promise<boolean> => {
      if (!isDirty()) return true
      const isLeaving = await confirm({
        title: t('core.form.leave_title'),
        text: t('core.form.leave'),
        action: t('core.form.leave_action'),
        isDanger: true,
      })
      if (isLeaving) discard()
      return isLeaving
    }
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
