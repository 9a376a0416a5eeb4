// Values of /proc. They are read on the spot: the kernel waits for nothing, and through the thread pool each file would
// be four turns of an event loop that may be busy.
import { accessSync, constants, readFileSync } from 'node:fs'
import { errorCode } from './files.ts'

/** Null where this kernel has no such file. */
export function textIn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

export function numberIn(path: string): number | null {
  const text = textIn(path)
  return text === null ? null : Number(text)
}

/** False also where the file system is read-only, as in many containers. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    // The answer itself.
    return false
  }
}
