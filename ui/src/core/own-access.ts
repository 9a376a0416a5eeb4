// Requests that may cut the operator's own connection: refused at first, and sent again with the operator's consent.
import { call, type AnswerOf, type Arguments } from './api.ts'
import { loaded } from './loaded.ts'
import type { Risky } from './own-access-consent.ts'
import { toApiError } from './api-error.ts'

const CUTS: readonly string[] = ['WOULD_CUT_OWN_ACCESS', 'NETWORK_CUTS_OWN_ACCESS']

/** Resolves to null if the change was applied but its answer was lost. */
export const withAccessCheck = async <R extends Risky>(
  route: R,
  ...args: Arguments<R>
): Promise<AnswerOf<R> | null> => {
  try {
    return await call(route, ...args)
  } catch (thrown) {
    const error = toApiError(thrown)
    // Without a flag there is nothing to consent to: root itself refuses.
    if (!CUTS.includes(error.code) || error.details['flag'] === undefined) throw thrown
    // Ahead of the change: nothing loads once the connection is cut.
    const { sendWithConsent } = await loaded(() => import('./own-access-consent.ts'))
    return sendWithConsent(error, route, ...args)
  }
}
