// Rules for passwords, hashing, and a comparison that takes as long whether or not the account exists (decisions.md,
// A9, A13).
import { randomBytes } from 'node:crypto'
import { MIN_PASSWORD_CHARACTERS } from '@panel/shared/api/passwords.ts'
import bcrypt from 'bcrypt'

export const BCRYPT_COST = 12
/** bcrypt ignores further bytes, so a longer password would be weaker than it looks. */
export const MAX_BYTES = 72

export interface Passwords {
  readonly hash: (password: string) => Promise<string>
  /** A null hash stands for an account that does not exist: never right, and just as slow. */
  readonly isRight: (password: string, hash: string | null) => Promise<boolean>
}

/** The two functions of bcrypt that are used; tests count their calls. */
export type Bcrypt = Pick<typeof bcrypt, 'hash' | 'compare'>

export function makePasswords(cost: number = BCRYPT_COST, work: Bcrypt = bcrypt): Passwords {
  const hashOfNoAccount = bcrypt.hash(randomBytes(32).toString('base64'), cost)
  return {
    hash: (password) => work.hash(password, cost),
    isRight: async (password, hash) => {
      const isSame = await work.compare(password, hash ?? (await hashOfNoAccount))
      return isSame && hash !== null && Buffer.byteLength(password) <= MAX_BYTES
    },
  }
}

/** Why a new password is refused, or null. `username` is undefined if the username itself was refused. */
export function weakness(password: string, username: string | undefined): string | null {
  if ([...password].length < MIN_PASSWORD_CHARACTERS)
    return `A password has at least ${MIN_PASSWORD_CHARACTERS} characters`
  if (Buffer.byteLength(password) > MAX_BYTES)
    return `A password has at least ${MIN_PASSWORD_CHARACTERS} characters and at most ${MAX_BYTES} bytes`
  return password.toLowerCase() === username?.toLowerCase()
    ? 'A password of 12 characters or more must not be the username'
    : null
}
