// Begins a trial: its time begins with the first change, so nobody types against the clock.
import { act } from './act.ts'
import { toApiError } from './api-error.ts'
import { call } from './api.ts'
import { t } from './i18n.svelte.ts'
import { trial } from './trial.svelte.ts'

/** Resolves to whether there is one: another that is open already does as well. */
export const beginTrial = async (): Promise<boolean> => {
  const begun = await act(
    { done: t('core.trial.done'), failing: t('core.trial.failing') },
    async () => {
      const { window } = await call('POST /safe-apply', { body: { starts: 'first_change' } }).catch(theOpenOne)
      if (window) trial.enter(window)
      return window
    },
    { stale: ['/safe-apply'] },
  )
  return begun !== null
}

const theOpenOne = (thrown: unknown) => {
  if (toApiError(thrown).code !== 'SAFE_APPLY_UNDER_WAY') throw thrown
  return call('GET /safe-apply')
}
