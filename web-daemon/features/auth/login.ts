// Signs the operator in. The answer does not reveal whether an account exists.
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Answer, Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { LoginBody, SessionAnswer } from '@panel/shared/api/auth.ts'
import { requireFactor } from './factor-check.ts'
import type { AuthServices } from './services.ts'
import { beginSession, sessionAnswer } from './session.ts'
import { findAccountByName, lastChange, recordLogin } from './store.ts'
import { withdrawing } from './throttle.ts'

export function login(services: AuthServices) {
  const { passwords, throttle, addresses } = services
  return async (context: StoreContext, incoming: Incoming<LoginBody>): Promise<Answer<SessionAnswer>> => {
    const { db, now, note, publishIn } = context
    const { body, client_ip } = incoming
    throttle.onAccountChanged(await lastChange(db))
    const isKnown = await addresses.has(client_ip)
    const attempt = throttle.begin(body.username, client_ip, isKnown)
    const account = await findAccountByName(db, body.username)
    const isRight = await passwords
      .isRight(body.password, account?.password_hash ?? null, isKnown)
      .catch(withdrawing(attempt))
    if (!account || !isRight || account.is_active !== 1)
      throw new Refusal('INVALID_CREDENTIALS', message('panel.wrong_credentials'))
    await requireFactor(services, context, account, { code: body.code, attempt })
    note.target('user', account.user_id)
    const signedIn = await recordLogin(db, account.user_id, now().toISOString())
    const news = isKnown ? [] : [{ username: account.username, client_ip }]
    const session = await beginSession(services, signedIn, incoming, (trx) => publishIn(trx, 'auth.new_network', news))
    note.actor({ ...account, session_id: session.session_id })
    return sessionAnswer(services, signedIn, session, 200)
  }
}
