// limits.conf, which root alone reads and writes: read at each change, so that what is written there holds at once.
import { lstatSync, readFileSync, type Stats } from 'node:fs'
import { isFault, parseLimits } from '@panel/shared/limits/file.ts'
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HostLimits } from '../facilities.ts'
import { errorCode } from './files.ts'

/** Mode bits by which the group, or all, may write. */
const OTHERS_WRITE = 0o022

/** A file that is not there allows what is allowed by default. */
export function limitsFile(path: string): HostLimits {
  const faulty = (fault: Message) => ({ path, limits: DEFAULT_LIMITS, fault })
  return {
    read() {
      try {
        const stat = lstatSync(path, { throwIfNoEntry: false })
        if (!stat) return { path, limits: DEFAULT_LIMITS, fault: null }
        if (!isOfRoot(stat)) return faulty(message('limits.writable', { path, command: commandThatMends(path) }))
        const found = parseLimits(readFileSync(path, 'utf8'))
        if (!isFault(found)) return { path, limits: found, fault: null }
        return faulty(message('limits.fault', { path, ...found }))
      } catch (error) {
        return faulty(message('limits.unreadable', { path, error: errorCode(error) ?? String(error) }))
      }
    },
  }
}

/** A plain file, which nobody but root can write. */
const isOfRoot = (stat: Stats): boolean =>
  stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & OTHERS_WRITE) === 0

const commandThatMends = (path: string): string => `chown root:root ${path} && chmod 644 ${path}`
