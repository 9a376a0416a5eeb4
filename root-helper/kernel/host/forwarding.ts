// The switches of the network namespace in which the helper runs, and our one file of sysctl.d.
import { message } from '@panel/shared/messages/message.ts'
import { writeFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { CONNTRACK_MAX_KEY, SWITCHES, switchesBy, SYSCTL_KEYS, type Switch } from '@panel/shared/forwarding/model.ts'
import { sizeMost } from '@panel/shared/forwarding/size.ts'
import { SYSCTL_FILE } from '@panel/shared/forwarding/sysctl.ts'
import type { Forwarding } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { errorCode, readIfThere, removeIfThere, syncFolder, writeWhole } from '../files/files.ts'
import { acceptRaFile, AdvertisedInterfaces } from './advertised.ts'
import { isWritable, numberIn } from '../files/proc.ts'

const fileOf = (key: string): string => `/proc/sys/${key.replaceAll('.', '/')}`
const switchFile = (name: Switch): string => fileOf(SYSCTL_KEYS[name])
const CONNTRACK_MAX = fileOf(CONNTRACK_MAX_KEY)
const CONNTRACK = '/proc/sys/net/netfilter'

export function forwardingIn(sysctlDir: string): Forwarding {
  const path = join(sysctlDir, SYSCTL_FILE)
  const interfaces = new AdvertisedInterfaces()
  return {
    facts: async () => {
      const values = new Map(SWITCHES.map((name) => [name, numberIn(switchFile(name))]))
      return {
        live: switchesBy((name) => values.get(name) === 1),
        missing: SWITCHES.filter((name) => values.get(name) === null),
        sysctl_path: path,
        conntrack_max: numberIn(CONNTRACK_MAX),
        conntrack: conntrack(),
      }
    },
    set: async (name, is_on) => write(switchFile(name), is_on ? 1 : 0),
    setConntrackMax: async (value) => write(CONNTRACK_MAX, value),
    advertised: (interface_names) => interfaces.read(interface_names),
    setAcceptRa: async (interface_name, value) => write(acceptRaFile(interface_name), value),
    readFile: async () => readIfThere(path),
    writeFile: (content) => writeWhole(path, content, 0o644),
    removeFile: async () => {
      await removeIfThere(path)
      await syncFolder(sysctlDir)
    },
  }
}

function write(path: string, value: number): void {
  try {
    writeFileSync(path, `${value}\n`)
  } catch (error) {
    throw new KernelError(
      errorCode(error) ?? 'EIO',
      message('root.not_set', { file: path, error: errorCode(error) ?? 'EIO' }).message,
    )
  }
}

/** Another network namespace than the first can read the value of all of them, and set none. */
function conntrack(): Awaited<ReturnType<Forwarding['facts']>>['conntrack'] {
  const [count, buckets] = ['nf_conntrack_count', 'nf_conntrack_buckets'].map((name) =>
    numberIn(`${CONNTRACK}/${name}`),
  )
  if (typeof count !== 'number' || typeof buckets !== 'number') return null
  return { count, most: isWritable(CONNTRACK_MAX) ? sizeMost({ memory_bytes: totalmem(), buckets }) : null }
}
