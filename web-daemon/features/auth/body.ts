// The bodies of the auth endpoints.
import { strict, Type, type Static } from '@panel/shared/schema.ts'

const Username = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  'x-message': 'A username is 1 to 64 letters, digits and . _ - and begins with a letter or a digit',
})

/** Longer than any password that is accepted, short enough to compare. */
const Password = Type.String({ maxLength: 1024, 'x-secret': true })

export const SetupBody = strict({ username: Username, password: Password })
export type SetupBody = Static<typeof SetupBody>

/** Any text may be tried: an impossible username gets the same answer as an unknown one. */
export const LoginBody = strict({ username: Type.String({ maxLength: 256 }), password: Password })
export type LoginBody = Static<typeof LoginBody>

export const AccountBody = strict({
  current_password: Password,
  username: Type.Optional(Username),
  new_password: Type.Optional(Password),
})
export type AccountBody = Static<typeof AccountBody>
