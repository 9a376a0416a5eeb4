// The kernel's own log, from a moment on.
import { closeSync, constants, openSync, readSync } from 'node:fs'

/** What the kernel logs from now on. */
export function kernelLog(): () => string[] {
  const log = openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK)
  const next = (): string | null => {
    const record = Buffer.alloc(8192)
    try {
      return record.toString('utf8', 0, readSync(log, record))
    } catch (error) {
      // A record that was overwritten before it was read is passed over.
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return ''
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null
      throw error
    }
  }
  while (next() !== null);
  return () => {
    const lines: string[] = []
    for (let line = next(); line !== null; line = next()) lines.push(line)
    closeSync(log)
    return lines
  }
}
