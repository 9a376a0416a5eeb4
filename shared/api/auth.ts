// What a client may send and is answered about the signed-in operator (reference.md, Session, Auth).
import { message } from '../messages/message.ts'
import { nullable, Type, type Static } from '../schema.ts'
import { EndedToken } from './tokens.ts'
import { Always, Count, Flag, Id, Instant, list, Sentence, shape, Text, described } from './base/shapes.ts'

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

export const MeAnswer = shape('Me', {
  ...UserView.properties,
  user: UserView,
  server_name: described(Text, 'The setting display.server_name, which no stranger is shown; "" without one.'),
})
export type MeAnswer = Static<typeof MeAnswer>

export const SignedOutAnswer = shape('SignedOut', { signed_out: Always })
export type SignedOutAnswer = Static<typeof SignedOutAnswer>

export const ListSessionsAnswer = shape('Sessions', {
  sessions: described(
    list(
      shape('OwnSession', {
        session_id: Id,
        created_date: Instant,
        last_used_date: described(Instant, 'To the minute.'),
        last_ip: Text,
        user_agent: described(Text, 'What the client calls itself.'),
        is_current: described(Flag, 'Whether it is the one of this request.'),
      }),
    ),
    'The last used first.',
  ),
})
export type ListSessionsAnswer = Static<typeof ListSessionsAnswer>

export const EndSessionAnswer = shape('SessionEnded', { deleted: Always, session_id: Id })
export type EndSessionAnswer = Static<typeof EndSessionAnswer>

export const EndSessionsAnswer = shape('SessionsEnded', { ended: described(Count, 'How many there were.') })
export type EndSessionsAnswer = Static<typeof EndSessionsAnswer>

export const TotpAnswer = shape('Totp', {
  is_on: Flag,
  confirmed_date: nullable(Instant),
  last_used_date: nullable(Instant),
  recovery_codes_left: Count,
})
export type TotpAnswer = Static<typeof TotpAnswer>

export const SetUpTotpAnswer = shape('TotpSetUp', {
  secret: described(Sentence, 'For typing, in base32. It is shown this once.'),
  uri: described(Sentence, 'The same as an otpauth URI.'),
  svg: described(Sentence, 'The URI as a QR code, an SVG picture.'),
})
export type SetUpTotpAnswer = Static<typeof SetUpTotpAnswer>

export const ConfirmTotpAnswer = shape('TotpConfirmed', {
  recovery_codes: described(list(Sentence), 'Each is good once in the place of a code. They are shown this once.'),
})
export type ConfirmTotpAnswer = Static<typeof ConfirmTotpAnswer>

export const NewRecoveryCodesAnswer = shape('NewRecoveryCodes', ConfirmTotpAnswer.properties)
export type NewRecoveryCodesAnswer = Static<typeof NewRecoveryCodesAnswer>

export const RemoveTotpAnswer = shape('TotpRemoved', { deleted: Always })
export type RemoveTotpAnswer = Static<typeof RemoveTotpAnswer>

const Username = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  'x-message': message('input.username'),
})

/** Longer than any password that is accepted, short enough to compare. */
const Password = Type.String({ maxLength: 1024, 'x-secret': true })

/** A code of an authenticator, or one of the recovery codes. */
const Code = Type.String({ maxLength: 64, 'x-secret': true })

export const SetUpTotpBody = shape('SetUpTotpBody', { current_password: Password })
export type SetUpTotpBody = Static<typeof SetUpTotpBody>
export const ConfirmTotpBody = shape('ConfirmTotpBody', { code: Code })
export type ConfirmTotpBody = Static<typeof ConfirmTotpBody>
export const RemoveTotpBody = shape('RemoveTotpBody', { current_password: Password, code: Code })
export type RemoveTotpBody = Static<typeof RemoveTotpBody>

export const NewRecoveryCodesBody = shape('NewRecoveryCodesBody', { current_password: Password, code: Code })
export type NewRecoveryCodesBody = Static<typeof NewRecoveryCodesBody>

export const SetupBody = shape('SetupBody', { username: Username, password: Password })
export type SetupBody = Static<typeof SetupBody>

/**
 * The body of a sign-in. Any text can be tried; a text that cannot be a username gets the same answer as an unknown
 * one.
 */
export const LoginBody = shape('LoginBody', {
  username: Type.String({ maxLength: 256 }),
  password: Password,
  code: Type.Optional(Code),
})
export type LoginBody = Static<typeof LoginBody>

export const ConfirmBody = shape('ConfirmBody', { current_password: Password, code: Type.Optional(Code) })
export type ConfirmBody = Static<typeof ConfirmBody>

export const ConfirmAnswer = shape('Confirmed', {
  fresh_until: described(Instant, 'Until then this session may do what takes a password given just before.'),
})
export type ConfirmAnswer = Static<typeof ConfirmAnswer>

export const AccountBody = shape('AccountBody', {
  current_password: Password,
  username: Type.Optional(Username),
  new_password: Type.Optional(Password),
  keep_tokens: Type.Optional(
    Type.Boolean({ description: 'Whether API tokens outlive a new password. Default false.' }),
  ),
})
export type AccountBody = Static<typeof AccountBody>

export const AccountAnswer = shape('Account', {
  ...SessionAnswer.properties,
  ended_tokens: described(list(EndedToken), 'The API tokens that a new password has ended.'),
})
export type AccountAnswer = Static<typeof AccountAnswer>
