// The endpoints of the section Auth.
import type { SessionAnswer, SignedOutAnswer } from '@panel/shared/api/auth.ts'
import { message } from '@panel/shared/messages/message.ts'
import { command, query, ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { StoreContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { confirmAgain } from './confirm-again.ts'
import { login } from './login.ts'
import { changeMe, showMe } from './me.ts'
import type { AuthServices } from './services.ts'
import { deviceOf, renewSession, sessionAnswer, sessionToEnd, signedOutCookies } from './session.ts'
import { endOthers, endSession, listSessions } from './own-sessions.ts'
import { confirmTotp, removeTotp, renewRecoveryCodes, setUpTotp, showTotp } from './second-factor.ts'
import { setUp } from './setup.ts'

const tag = 'auth'

export function authEndpoints(services: AuthServices) {
  return [
    command(
      'POST /auth/setup',
      {
        tag,
        summary: 'Create the operator account',
        statuses: [201, 409],
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
        audit: 'SessionRefresh',
        guards: { session: false },
      },
      refresh(services),
    ),
    command(
      'POST /auth/logout',
      { tag, summary: 'Sign out', audit: 'Logout', guards: { session: false } },
      signOut(services),
    ),
    query('GET /auth/me', { tag, summary: 'The signed-in operator' }, showMe),
    command(
      'PUT /auth/me',
      {
        tag,
        summary: 'Change the username or the password',
        gathersProblems: true,
        audit: 'PasswordChange',
      },
      changeMe(services),
    ),
    command(
      'POST /auth/confirm',
      {
        tag,
        summary: 'Give the password again, and the code of the second factor if one is on. It is good for ten minutes.',
        audit: 'PasswordConfirm',
      },
      confirmAgain(services),
    ),
    query('GET /auth/me/totp', { tag, summary: 'The second factor' }, showTotp),
    command(
      'POST /auth/me/totp',
      {
        tag,
        summary: 'Begin to set up the second factor. It counts once a code of it was confirmed.',
        statuses: [201, 409],
        audit: 'TotpSetup',
      },
      setUpTotp(services),
    ),
    command(
      'POST /auth/me/totp/confirm',
      {
        tag,
        summary: 'Switch the second factor on. Every other session ends, and the recovery codes are shown this once.',
        statuses: [409],
        audit: 'TotpConfirm',
        fresh: true,
      },
      confirmTotp(services),
    ),
    command(
      'POST /auth/me/totp/recovery-codes',
      {
        tag,
        summary: 'Make new recovery codes, shown this once. The ones from before end at once.',
        statuses: [404],
        audit: 'RecoveryCodes',
      },
      renewRecoveryCodes(services),
    ),
    command(
      'DELETE /auth/me/totp',
      {
        tag,
        summary: 'Switch the second factor off',
        statuses: [404],
        audit: 'TotpRemove',
      },
      removeTotp(services),
    ),
    query('GET /auth/sessions', { tag, summary: 'Where the operator is signed in' }, listSessions(services)),
    command(
      'DELETE /auth/sessions/{id}',
      { tag, summary: 'End one session', audit: 'SessionEnd' },
      endSession(services),
    ),
    command(
      'DELETE /auth/sessions',
      { tag, summary: 'End every session but the one that sends this', audit: 'SessionEnd' },
      endOthers(services),
    ),
  ]
}

const refresh =
  (services: AuthServices) =>
  async ({ db, note }: StoreContext, incoming: Incoming): Promise<Answer<SessionAnswer>> => {
    services.throttle.beginRefresh(incoming.client_ip)
    const renewed = await renewSession(db, services, incoming.cookies, deviceOf(incoming))
    if (!renewed) throw new Refusal('UNAUTHENTICATED', message('panel.sign_in_no_session'))
    const { account, row } = renewed
    note.actor({ ...account, session_id: row.session_id })
    await services.addresses.renew(incoming.client_ip)
    return sessionAnswer(services, account, row, 200)
  }

/** Copies of the cookies are worth nothing afterwards. */
const signOut =
  (services: AuthServices) =>
  async ({ db, note }: StoreContext, incoming: Incoming): Promise<Answer<SignedOutAnswer>> => {
    const ending = await sessionToEnd(db, services, incoming.cookies)
    if (ending) {
      note.actor({ ...ending.account, session_id: ending.row.session_id })
      await services.sessions.revoke([ending.row], 'signed_out')
    }
    return { ...ok<SignedOutAnswer>({ signed_out: true }), cookies: signedOutCookies() }
  }
