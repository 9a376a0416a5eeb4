// POST /auth/confirm: the password once more, and the code if a second factor is on, for what takes a fresh one.
import type { ConfirmAnswer, ConfirmBody } from '@panel/shared/api/auth.ts'
import type { StoreContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { FRESH_MS } from '../../platform/http/fresh.ts'
import { requireFactor } from './factor-check.ts'
import { comparePassword, ownAccount } from './me.ts'
import type { AuthServices } from './services.ts'

export function confirmAgain(services: AuthServices) {
  return async (context: StoreContext, incoming: Incoming<ConfirmBody>): Promise<Answer<ConfirmAnswer>> => {
    const { body, session } = incoming
    const account = await ownAccount(context.db, incoming)
    context.note.target('user', account.user_id)
    const attempt = await comparePassword(services, account, incoming, body.current_password)
    await requireFactor(services, context, account, { code: body.code, attempt })
    await services.sessions.passwordGiven(session?.session_id ?? null)
    return ok({ fresh_until: new Date(context.now().getTime() + FRESH_MS).toISOString() })
  }
}
