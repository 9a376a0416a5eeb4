// Rules for passwords, hashing, and a comparison that takes as long whether or not the account exists (decisions.md,
// A9, A13).
import { randomBytes } from 'node:crypto'
import { MIN_PASSWORD_CHARACTERS } from '@panel/shared/api/passwords.ts'
import bcrypt from 'bcrypt'
import { PasswordQueue } from './password-queue.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'

export const BCRYPT_COST = 12
/** bcrypt ignores further bytes, so a longer password would be weaker than it looks. */
export const MAX_BYTES = 72

export interface Passwords {
  readonly hash: (password: string) => Promise<string>
  /**
   * A null hash stands for an account that does not exist: never right, and just as slow. `isFirst`: before others who
   * wait. Refused where too many wait.
   */
  readonly isRight: (password: string, hash: string | null, isFirst?: boolean) => Promise<boolean>
}

/** The two functions of bcrypt that are used; tests count their calls. */
export type Bcrypt = Pick<typeof bcrypt, 'hash' | 'compare'>

export function makePasswords(cost: number = BCRYPT_COST, work: Bcrypt = bcrypt): Passwords {
  const hashOfNoAccount = nobodysHash(cost)
  const queue = new PasswordQueue()
  return {
    hash: (password) => queue.run(true, () => work.hash(password, cost)),
    isRight: async (password, hash, isFirst = false) => {
      const isSame = await queue.run(isFirst, () => work.compare(password, hash ?? hashOfNoAccount))
      return isSame && hash !== null && Buffer.byteLength(password) <= MAX_BYTES
    },
  }
}

/** Takes as long to compare with as any, and nothing to make: a salt, and random characters where the digest stands. */
const nobodysHash = (cost: number): string =>
  bcrypt.genSaltSync(cost) + randomBytes(24).toString('base64').replaceAll('+', '.').slice(0, 31)

/** Why a new password is refused, or null. `username` is undefined if the username itself was refused. */
export function weakness(password: string, username: string | undefined): Message | null {
  if ([...password].length < MIN_PASSWORD_CHARACTERS)
    return message('panel.password_short', { count: MIN_PASSWORD_CHARACTERS })
  if (Buffer.byteLength(password) > MAX_BYTES)
    return message('panel.password_long', { count: MIN_PASSWORD_CHARACTERS, bytes: MAX_BYTES })
  return password.toLowerCase() === username?.toLowerCase() ? message('panel.password_is_username') : null
}
