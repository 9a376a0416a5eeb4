// Requests that may cut the operator's own connection: refused at first, and sent again with the operator's consent.
import type { EndpointName, Endpoints } from '@panel/shared/api/endpoints.ts'
import { call, type AnswerOf, type Arguments } from './api.ts'
import { loaded } from './loaded.ts'
import { toApiError } from './api-error.ts'

type Consent = 'i_understand_i_may_lose_access'
/** Endpoints that accept the flag. */
export type Risky = {
  [R in EndpointName]: Endpoints[R] extends { body: infer B } ? (Consent extends keyof B ? R : never) : never
}[EndpointName]

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
    if (!CUTS.includes(error.code)) throw thrown
    // Ahead of the change: nothing loads once the connection is cut.
    const { sendWithConsent } = await loaded(() => import('./own-access-consent.ts'))
    return sendWithConsent(error, route, ...args)
  }
}
