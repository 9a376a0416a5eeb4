// The endpoints of the section Auth.
import { MeAnswer, SessionAnswer, SignedOutAnswer } from '@panel/shared/api/auth.ts'
import { message } from '@panel/shared/messages/message.ts'
import { command, query, ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { StoreContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { AccountBody, LoginBody, SetupBody } from '@panel/shared/api/auth.ts'
import { login } from './login.ts'
import { changeMe, showMe } from './me.ts'
import type { AuthServices } from './services.ts'
import { findAccount, sessionAnswer, signedOutCookies } from './session.ts'
import { setUp } from './setup.ts'

const tag = 'auth'

export function authEndpoints(services: AuthServices) {
  return [
    command(
      'POST /auth/setup',
      {
        tag,
        summary: 'Create the operator account',
        answer: SessionAnswer,
        body: SetupBody,
        gathersProblems: true,
        audit: 'Setup',
        guards: { setup: false, csrf: false, session: false },
      },
      setUp(services),
    ),
    command(
      'POST /auth/login',
      {
        tag,
        summary: 'Sign in',
        answer: SessionAnswer,
        body: LoginBody,
        audit: 'Login',
        guards: { csrf: false, session: false },
      },
      login(services),
    ),
    command(
      'POST /auth/refresh',
      {
        tag,
        summary: 'Exchange the refresh cookie for a new session',
        answer: SessionAnswer,
        audit: 'SessionRefresh',
        guards: { session: false },
      },
      refresh(services),
    ),
    command(
      'POST /auth/logout',
      { tag, summary: 'Sign out', answer: SignedOutAnswer, audit: 'Logout', guards: { session: false } },
      async () => ({ ...ok<SignedOutAnswer>({ signed_out: true }), cookies: signedOutCookies() }),
    ),
    query('GET /auth/me', { tag, summary: 'The signed-in operator', answer: MeAnswer }, showMe),
    command(
      'PUT /auth/me',
      {
        tag,
        summary: 'Change the username or the password',
        answer: SessionAnswer,
        body: AccountBody,
        gathersProblems: true,
        audit: 'PasswordChange',
      },
      changeMe(services),
    ),
  ]
}

const refresh =
  ({ tokens, throttle }: AuthServices) =>
  async ({ db, note }: StoreContext, { cookies, client_ip }: Incoming): Promise<Answer<SessionAnswer>> => {
    throttle.beginRefresh(client_ip)
    const account = await findAccount(db, tokens, cookies, 'refresh')
    if (!account) throw new Refusal('UNAUTHENTICATED', message('panel.sign_in_no_session'))
    note.actor(account)
    return sessionAnswer(tokens, account, 200)
  }
