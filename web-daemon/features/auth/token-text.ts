// The text of an API token: tp_<8 for lookup>_<43 that are secret>. Its first letters let a scanner of sources find one
// that was left there.
import { createHash, randomBytes } from 'node:crypto'

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LOOKUP_LETTERS = 8
/** 256 bits. */
const SECRET_LETTERS = 43

export interface TokenText {
  readonly text: string
  readonly lookup: string
}

export function newTokenText(): TokenText {
  const lookup = randomLetters(LOOKUP_LETTERS)
  return { lookup, text: `tp_${lookup}_${randomLetters(SECRET_LETTERS)}` }
}

/** Null if it cannot be a token. */
export function lookupOf(text: string): string | null {
  return /^tp_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}$/.exec(text)?.[1] ?? null
}

/** 256 random bits need no slow hash. */
export function tokenHash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Bytes beyond the last whole multiple are drawn again, so that each letter is as likely. */
function randomLetters(count: number): string {
  let letters = ''
  while (letters.length < count)
    for (const byte of randomBytes(count))
      if (byte < 248 && letters.length < count) letters += LETTERS[byte % LETTERS.length] ?? ''
  return letters
}
