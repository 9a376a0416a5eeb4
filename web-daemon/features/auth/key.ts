// The key that sessions are signed with: 32 random bytes in a file that only the web daemon's user can read. It is made
// with the first account, so that without it there was none.
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { syncPath } from '../../platform/db/sync-path.ts'

const KEY_BYTES = 32

/** A key file that cannot be used, with what to do. Its bytes are in no message. */
export class KeyUnusableError extends Error {
  readonly sentences: readonly Message[]

  constructor(...sentences: readonly Message[]) {
    super(sentences.map((one) => one.message).join(' '))
    this.name = 'KeyUnusableError'
    this.sentences = sentences
  }
}

/** The key, made if there is none yet. */
export function signingKey(path: string): KeyObject {
  const found = readSigningKey(path)
  if (found) return found
  const made = newSigningKey()
  keepSigningKey(path, made)
  // Another start may have made one at the same moment.
  return readSigningKey(path) ?? made
}

/** Null if there is no file. jsonwebtoken verifies a token 50 times faster with a KeyObject than with the bytes. */
export function readSigningKey(path: string): KeyObject | null {
  const bytes = bytesOf(path)
  if (bytes === null) return null
  // A disk that has lost a block gives back zeros, which anybody can guess.
  if (bytes.length !== KEY_BYTES || bytes.every((byte) => byte === 0))
    throw new KeyUnusableError(message('panel.key_damaged', { path, bytes: KEY_BYTES }), setAside())
  return createSecretKey(bytes)
}

const bytesOf = (path: string): Buffer | null => {
  if (!lstatSync(path, { throwIfNoEntry: false })) return null
  try {
    if ((statSync(path).mode & 0o077) !== 0)
      throw new KeyUnusableError(message('panel.key_exposed', { path, commands: `chmod 600 ${path}` }))
    return readFileSync(path)
  } catch (failure) {
    if (failure instanceof KeyUnusableError) throw failure
    const { code = 'EIO' } = failure as NodeJS.ErrnoException
    throw new KeyUnusableError(message('panel.key_unreadable', { path, code }), setAside())
  }
}

const setAside = (): Message => message('panel.key_set_aside', { commands: 'tunnel-panel set-aside session.key' })

export function newSigningKey(): KeyObject {
  return createSecretKey(randomBytes(KEY_BYTES))
}

/** A hard link appears whole or not at all, and never replaces a key that is there. On the disk before it returns. */
export function keepSigningKey(path: string, key: KeyObject): void {
  const unfinished = `${path}.${process.pid}`
  rmSync(unfinished, { force: true })
  const file = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(file, key.export())
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
  syncPath(dirname(path))
}
