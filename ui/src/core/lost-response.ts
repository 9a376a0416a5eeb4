// Finds the outcome of a change whose answer was lost, from the audit log.
import { call } from './api.ts'
import { toApiError, ApiError, type ApiErrorCode } from './api-error.ts'

/** How long to wait for an outcome. */
export const WAIT_SECONDS = 90
const POLL_MS = 2000

/** No answer, as opposed to an error. */
export const isLost = (thrown: unknown): boolean => ['NO_ANSWER', 'NOT_THE_PANEL'].includes(toApiError(thrown).code)

/** Resolves to null if the change was applied, rejects with its error; polls until `stop`. */
export const changeOutcome = async (request_id: string, stop: AbortSignal): Promise<null> => {
  for (const until = Date.now() + WAIT_SECONDS * 1000; Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (stop.aborted) return null
    const entry = await findAuditEntry(request_id)
    if (entry?.is_success) return null
    if (entry) throw parseAuditError(entry.error_message)
  }
  throw new ApiError(
    0,
    { code: 'NO_ANSWER', message: `Nothing was heard of the change for ${WAIT_SECONDS} seconds.` },
    { message_id: 'panel.nothing_heard', params: { seconds: WAIT_SECONDS } },
  )
}

/** Ignores failed polls, and entries of requests without a session, which are retried. */
const findAuditEntry = async (request_id: string) => {
  const { entries } = await call('GET /audit', {
    query: { limit: 20 },
    signal: AbortSignal.timeout(2 * POLL_MS),
  }).catch(() => ({ entries: [] }))
  return entries.find((entry) => entry.request_id === request_id && entry.user_id !== null)
}

/** The log stores `CODE: message`. */
const parseAuditError = (error: string): ApiError => {
  const [, code = 'INTERNAL_ERROR', message = error] = /^([A-Z_]+): (.*)$/s.exec(error) ?? []
  return new ApiError(409, { code: code as ApiErrorCode, message })
}
