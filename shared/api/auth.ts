// What the API answers about the signed-in operator (interface.md, Session, Auth).
import { nullable, type Static } from '../schema.ts'
import { Always, Flag, Id, Instant, Sentence, shape, told } from './shapes.ts'

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
  csrf_token: told(
    Sentence,
    'To be sent as the header X-CSRF-Token with everything but GET. The cookie panel_csrf holds the same.',
  ),
  access_expires_at: Instant,
  refresh_expires_at: told(Instant, 'Until then POST /auth/refresh gives another session.'),
})
export type SessionAnswer = Static<typeof SessionAnswer>

export const MeAnswer = shape('Me', { ...UserView.properties, user: UserView })
export type MeAnswer = Static<typeof MeAnswer>

export const SignedOutAnswer = shape('SignedOut', { signed_out: Always })
export type SignedOutAnswer = Static<typeof SignedOutAnswer>
