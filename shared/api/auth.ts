// What a client may send and is answered about the signed-in operator (reference.md, Session, Auth).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { Always, Flag, Id, Instant, Sentence, shape, described } from './base/shapes.ts'

export const UserView = shape('User', {
  user_id: Id,
  username: Sentence,
  is_active: Flag,
  last_login_date: nullable(Instant),
  created_date: Instant,
})
export type UserView = Static<typeof UserView>

/** When the tokens end, never what they are. */
export const SessionAnswer = shape('Session', {
  user: UserView,
  csrf_token: described(
    Sentence,
    'To be sent as the header X-CSRF-Token with everything but GET. The cookie panel_csrf holds the same.',
  ),
  access_expires_at: Instant,
  refresh_expires_at: described(Instant, 'Until then POST /auth/refresh gives another session.'),
})
export type SessionAnswer = Static<typeof SessionAnswer>

export const MeAnswer = shape('Me', { ...UserView.properties, user: UserView })
export type MeAnswer = Static<typeof MeAnswer>

export const SignedOutAnswer = shape('SignedOut', { signed_out: Always })
export type SignedOutAnswer = Static<typeof SignedOutAnswer>

const Username = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  'x-message': message('input.username'),
})

/** Longer than any password that is accepted, short enough to compare. */
const Password = Type.String({ maxLength: 1024, 'x-secret': true })

export const SetupBody = strict({ username: Username, password: Password })
export type SetupBody = Static<typeof SetupBody>

/** Any text can be tried; that it cannot be a username is not told apart from that it is none. */
export const LoginBody = strict({ username: Type.String({ maxLength: 256 }), password: Password })
export type LoginBody = Static<typeof LoginBody>

export const AccountBody = strict({
  current_password: Password,
  username: Type.Optional(Username),
  new_password: Type.Optional(Password),
})
export type AccountBody = Static<typeof AccountBody>
