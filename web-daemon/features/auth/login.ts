// Signs the operator in. The answer does not reveal whether an account exists.
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Answer, Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { LoginBody, SessionAnswer } from '@panel/shared/api/auth.ts'
import type { AuthServices } from './services.ts'
import { sessionAnswer } from './session.ts'
import { findAccountByName, lastChange, recordLogin } from './store.ts'

export function login({ passwords, tokens, throttle }: AuthServices) {
  return async (
    { db, now, note }: StoreContext,
    { body, client_ip }: Incoming<LoginBody>,
  ): Promise<Answer<SessionAnswer>> => {
    throttle.onAccountChanged(await lastChange(db))
    const attempt = throttle.begin(body.username, client_ip)
    const account = await findAccountByName(db, body.username)
    const isRight = await passwords.isRight(body.password, account?.password_hash ?? null)
    if (!account || !isRight || account.is_active !== 1)
      throw new Refusal('INVALID_CREDENTIALS', message('panel.wrong_credentials'))
    attempt.succeeded()
    note.actor(account)
    note.target('user', account.user_id)
    return sessionAnswer(tokens, await recordLogin(db, account.user_id, now().toISOString()), 200)
  }
}
