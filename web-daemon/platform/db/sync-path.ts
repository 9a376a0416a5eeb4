// What is on the disk before anything is answered.
import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Waits until a file or a folder is on the disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
