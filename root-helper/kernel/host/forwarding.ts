// The switches of the network namespace in which the helper runs, and our one file of sysctl.d.
import { message } from '@panel/shared/messages/message.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SWITCHES, switchesBy, SYSCTL_KEYS, type Switch } from '@panel/shared/forwarding/model.ts'
import { SYSCTL_FILE } from '@panel/shared/forwarding/sysctl.ts'
import type { Forwarding } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { errorCode, readIfThere, removeIfThere, syncFolder, writeWhole } from '../files/files.ts'

const fileOf = (name: Switch): string => `/proc/sys/${SYSCTL_KEYS[name].replaceAll('.', '/')}`
const CONNTRACK = '/proc/sys/net/netfilter'

export function forwardingIn(sysctlDir: string): Forwarding {
  const path = join(sysctlDir, SYSCTL_FILE)
  return {
    facts: async () => {
      const values = new Map(SWITCHES.map((name) => [name, numberIn(fileOf(name))]))
      return {
        live: switchesBy((name) => values.get(name) === 1),
        missing: SWITCHES.filter((name) => values.get(name) === null),
        sysctl_path: path,
        conntrack: conntrack(),
      }
    },
    set: async (name, is_on) => setSwitch(fileOf(name), is_on),
    readFile: async () => readIfThere(path),
    writeFile: (content) => writeWhole(path, content, 0o644),
    removeFile: async () => {
      await removeIfThere(path)
      await syncFolder(sysctlDir)
    },
  }
}

function setSwitch(path: string, is_on: boolean): void {
  try {
    writeFileSync(path, is_on ? '1\n' : '0\n')
  } catch (error) {
    throw new KernelError(
      errorCode(error) ?? 'EIO',
      message('root.not_set', { file: path, error: errorCode(error) ?? 'EIO' }).message,
    )
  }
}

/**
 * Null where this kernel has no such value. Read on the spot: the kernel waits for nothing, and through the thread pool
 * each file would be four turns of an event loop that may be busy.
 */
function numberIn(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

function conntrack(): Awaited<ReturnType<Forwarding['facts']>>['conntrack'] {
  const [count, max] = ['nf_conntrack_count', 'nf_conntrack_max'].map((name) => numberIn(`${CONNTRACK}/${name}`))
  return typeof count === 'number' && typeof max === 'number' ? { count, max } : null
}
