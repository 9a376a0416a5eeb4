// Begins and ends a trial: apart from its switch, since every first page has that.
import { act } from './act.ts'
import { toApiError } from './api-error.ts'
import { call } from './api.ts'
import { messages, t } from './i18n.svelte.ts'
import { loaded } from './loaded.ts'
import { trial } from './trial.svelte.ts'

const stale = ['/safe-apply']

/**
 * Begins a trial whose time begins with the first change, so that nobody types against the clock. One that is open
 * already does as well.
 */
export const beginTrial = async (): Promise<void> => {
  await loaded(() => messages.load(['safe_apply']))
  await act(
    { done: t('safe_apply.done.begun'), failing: t('safe_apply.failing.begin') },
    async () => {
      const { window } = await call('POST /safe-apply', { body: { starts: 'first_change' } }).catch(theOpenOne)
      if (window) trial.enter(window)
    },
    { stale },
  )
}

const theOpenOne = (thrown: unknown) => {
  if (toApiError(thrown).code !== 'SAFE_APPLY_UNDER_WAY') throw thrown
  return call('GET /safe-apply')
}

/** Once something was changed in it, the bar over the page decides. */
export const turnTrial = async (): Promise<void> => {
  const { window_id, seconds, isWaiting } = trial
  if (seconds === null || window_id === null) return beginTrial()
  if (!isWaiting) return document.querySelector<HTMLElement>('[data-trial]')?.focus()
  await loaded(() => messages.load(['safe_apply']))
  await act(
    { done: t('safe_apply.done.ended'), failing: t('safe_apply.failing.end') },
    () => call('POST /safe-apply/cancel', { body: { window_id } }),
    { stale },
  )
}
