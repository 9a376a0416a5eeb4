// Locks a file, so that nothing else changes what it names, or unlocks it.
import { act } from './act.ts'
import { call } from './api.ts'
import { confirm } from './confirm.svelte.ts'
import { messages, t } from './i18n.svelte.ts'

export async function setLocked(name: string, is_locked: boolean): Promise<void> {
  await messages.load(['revisions'])
  const words = is_locked ? 'lock' : 'unlock'
  const action = t(`revisions.${words}`)
  const title = t(`revisions.${words}_sure`, { file: name })
  if (!(await confirm({ title, text: t(`revisions.${words}_text`), action }))) return
  await act(
    { done: t(`revisions.${words}ed`), failing: t('revisions.not_locked') },
    () => call('POST /desired/lock', { body: { name, is_locked } }),
    { stale: ['/desired'] },
  )
}
