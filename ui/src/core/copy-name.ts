// Copies the name of an object from its menu, which is closed by then.
import { copy } from './copy.ts'
import { t } from './i18n.svelte.ts'
import { toasts } from './toasts.svelte.ts'

export const copyName = async (name: string): Promise<void> => {
  if (await copy(name)) toasts.success(t('core.copied_name', { name }))
  else toasts.failure(t('core.action.copy_failed'), new Error(name))
}
