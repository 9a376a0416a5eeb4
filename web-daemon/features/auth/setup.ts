// Makes the first and only account, and signs the operator in.
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import type { Answer, Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { SetupBody, SessionAnswer } from '@panel/shared/api/auth.ts'
import { weakness } from './passwords.ts'
import type { AuthServices } from './services.ts'
import { beginSession, sessionAnswer } from './session.ts'
import { hasAccount, insertFirstAccount } from './store.ts'

/** A second set-up is refused before its body is validated. */
export function setUp(services: AuthServices) {
  const { passwords, throttle } = services
  return async ({ db, now, note }: StoreContext, incoming: Incoming<SetupBody>): Promise<Answer<SessionAnswer>> => {
    const { body, problems, client_ip } = incoming
    if (await hasAccount(db)) throw alreadyComplete()
    const weak = problems.has('password') ? null : weakness(body.password, body.username)
    if (weak !== null) problems.add('password', 'INVALID_PASSWORD', weak)
    problems.throwIfAny()
    throttle.beginSetup(client_ip)
    const password_hash = await passwords.hash(body.password)
    const at = now().toISOString()
    const account = await insertFirstAccount(db, body.username, password_hash, at, services.onFirstAccount)
    if (!account) throw alreadyComplete()
    note.target('user', account.user_id)
    const session = await beginSession(services, account, incoming)
    note.actor({ ...account, session_id: session.session_id })
    return sessionAnswer(services, account, session, 201)
  }
}

const alreadyComplete = (): Refusal => new Refusal('SETUP_ALREADY_COMPLETE', message('panel.setup_complete'))
