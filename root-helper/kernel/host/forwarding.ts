// The switches of the network namespace in which the helper runs, and our one file of sysctl.d.
import { message } from '@panel/shared/messages/message.ts'
import { readFile, writeFile } from 'node:fs/promises'
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
      const values = new Map(
        await Promise.all(SWITCHES.map(async (name) => [name, await numberIn(fileOf(name))] as const)),
      )
      return {
        live: switchesBy((name) => values.get(name) === 1),
        missing: SWITCHES.filter((name) => values.get(name) === null),
        sysctl_path: path,
        conntrack: await conntrack(),
      }
    },
    set: (name, is_on) => setSwitch(fileOf(name), is_on),
    readFile: async () => readIfThere(path),
    writeFile: (content) => writeWhole(path, content, 0o644),
    removeFile: async () => {
      await removeIfThere(path)
      await syncFolder(sysctlDir)
    },
  }
}

async function setSwitch(path: string, is_on: boolean): Promise<void> {
  try {
    await writeFile(path, is_on ? '1\n' : '0\n')
  } catch (error) {
    throw new KernelError(
      errorCode(error) ?? 'EIO',
      message('root.not_set', { file: path, error: errorCode(error) ?? 'EIO' }).message,
    )
  }
}

/** Null where this kernel has no such value. */
async function numberIn(path: string): Promise<number | null> {
  try {
    return Number(await readFile(path, 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

async function conntrack(): Promise<Awaited<ReturnType<Forwarding['facts']>>['conntrack']> {
  const [count, max] = await Promise.all(
    ['nf_conntrack_count', 'nf_conntrack_max'].map((name) => numberIn(`${CONNTRACK}/${name}`)),
  )
  return typeof count === 'number' && typeof max === 'number' ? { count, max } : null
}
