// The guard of what outlives a session or changes who may come in: it takes the password, and the code of the second
// factor if one is on, given within the last ten minutes. No API token passes it (decisions.md, A24).
import { message } from '@panel/shared/messages/message.ts'
import type { Session } from './endpoint.ts'
import { Refusal } from './refusal.ts'

export const FRESH_MS = 10 * 60_000

/** Throws 403 FRESH_PASSWORD_REQUIRED, which the page answers by its dialog and a second try. */
export function requireFresh(session: Session | null): void {
  refuseToken(session)
  if (session?.is_fresh === true) return
  throw new Refusal('FRESH_PASSWORD_REQUIRED', message('panel.fresh_password'))
}

export function refuseToken(session: Session | null): void {
  if (session?.token_id != null) throw new Refusal('FRESH_PASSWORD_REQUIRED', message('panel.no_token_here'))
}
