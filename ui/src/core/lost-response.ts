// How a change ended whose answer was lost with the connection that it was to come by: the audit log tells, once the panel can be reached again.
import { call } from './api.ts'
import { toApiError, ApiError, type ApiErrorCode } from './api-error.ts'

/** As long as an answer is waited for. */
export const WAIT_SECONDS = 90
const POLL_MS = 2000

/** Not what the panel said of a change, but that nothing was heard of it. */
export const isLost = (thrown: unknown): boolean => ['NO_ANSWER', 'NOT_THE_PANEL'].includes(toApiError(thrown).code)

/** Resolves to null when the log says that the change was applied, rejects as the log says that it was refused; asks until `over`. */
export const changeOutcome = async (request_id: string, stop: AbortSignal): Promise<null> => {
  for (const until = Date.now() + WAIT_SECONDS * 1000; Date.now() < until;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (stop.aborted) return null
    const entry = await findAuditEntry(request_id)
    if (entry?.is_success) return null
    if (entry) throw parseAuditError(entry.error_message)
  }
  throw new ApiError(0, { code: 'NO_ANSWER', message: `Nothing was heard of the change for ${WAIT_SECONDS} seconds.` })
}

/** Silence is no answer yet. A try that found the session over was nobody's, and is made again. */
const findAuditEntry = async (request_id: string) => {
  const { entries } = await call('GET /audit', {
    query: { limit: 20 },
    signal: AbortSignal.timeout(2 * POLL_MS),
  }).catch(() => ({ entries: [] }))
  return entries.find((entry) => entry.request_id === request_id && entry.user_id !== null)
}

/** The log has it as `CODE: sentence`. */
const parseAuditError = (error: string): ApiError => {
  const [, code = 'INTERNAL_ERROR', message = error] = /^([A-Z_]+): (.*)$/s.exec(error) ?? []
  return new ApiError(409, { code: code as ApiErrorCode, message })
}
