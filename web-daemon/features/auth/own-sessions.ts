// Where the operator is signed in, and ending that elsewhere.
import type { EndSessionAnswer, EndSessionsAnswer, ListSessionsAnswer } from '@panel/shared/api/auth.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { AuthServices } from './services.ts'
import { signedOutCookies } from './session.ts'
import type { SessionRow } from './store-sessions.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export function listSessions(services: AuthServices) {
  return async (context: ReadContext, { session }: Incoming): Promise<Answer<ListSessionsAnswer>> => {
    const rows = await renewable(services, context)
    return ok({
      sessions: rows
        .sort((a, b) => (a.last_used_date < b.last_used_date ? 1 : -1))
        .map(({ session_id, created_date, last_used_date, last_ip, user_agent }) => ({
          session_id,
          created_date,
          last_used_date,
          last_ip,
          user_agent,
          is_current: session_id === session?.session_id,
        })),
    })
  }
}

export function endSession(services: AuthServices) {
  return async ({ note }: StoreContext, { params, session }: Incoming): Promise<Answer<EndSessionAnswer>> => {
    const session_id = params['id'] ?? 0
    const row = (await services.sessions.live()).find((one) => one.session_id === session_id)
    if (!row) throw new Refusal('NOT_FOUND', message('panel.no_such_session'))
    note.target('session', session_id)
    await services.sessions.revoke([row], 'ended')
    const answer = ok<EndSessionAnswer>({ deleted: true, session_id })
    return session_id === session?.session_id ? { ...answer, cookies: signedOutCookies() } : answer
  }
}

export function endOthers({ sessions }: AuthServices) {
  return async ({ note }: StoreContext, { session }: Incoming): Promise<Answer<EndSessionsAnswer>> => {
    const others = (await sessions.live()).filter(({ session_id }) => session_id !== session?.session_id)
    await sessions.revoke(others, 'ended')
    for (const { session_id } of others) note.operation(`Ended the session ${session_id}`)
    return ok({ ended: others.length })
  }
}

/** Those that can still be renewed by the lifetime of now. */
const renewable = async ({ sessions }: AuthServices, { now, settings }: ReadContext): Promise<SessionRow[]> => {
  const since = new Date(now().getTime() - settings.get('security.refresh_ttl_days') * DAY_MS).toISOString()
  return (await sessions.live()).filter(({ refreshed_date }) => refreshed_date > since)
}
