// The window in which changes wait for a confirmation: apart from what is done about it, since every first page reads
// it.
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { call } from '../core/api.ts'
import type { QueryOptions } from '../core/query.svelte.ts'

/** A change that cut the way to the panel never lets the request fail. */
const ANSWER_MS = 4000

export const safeApplyQuery: QueryOptions<SafeApplyAnswer> = {
  path: '/safe-apply',
  load: () => call('GET /safe-apply', { signal: AbortSignal.timeout(ANSWER_MS) }),
}
