// The key that sessions are signed with: 32 random bytes in a file that only the web daemon's user can read.
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'

const KEY_BYTES = 32

/** jsonwebtoken verifies a token 50 times faster with a KeyObject than with the bytes. */
export function signingKey(path: string): KeyObject {
  if (!existsSync(path)) makeKeyFile(path)
  if ((statSync(path).mode & 0o077) !== 0)
    throw new Error(`${path} can be read by others than its owner. Run: chmod 600 ${path}`)
  const bytes = readFileSync(path)
  if (bytes.length !== KEY_BYTES)
    throw new Error(
      `${path} is not a key of ${KEY_BYTES} bytes. Remove it to have a new one made; everyone then signs in again.`,
    )
  return createSecretKey(bytes)
}

/** A hard link appears whole or not at all, and never replaces a key that another start has just made. */
const makeKeyFile = (path: string): void => {
  const unfinished = `${path}.${process.pid}`
  rmSync(unfinished, { force: true })
  const file = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(file, randomBytes(KEY_BYTES))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(unfinished, path)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure
  } finally {
    rmSync(unfinished)
  }
}
