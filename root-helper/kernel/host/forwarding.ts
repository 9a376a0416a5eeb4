// The forwarding switches of the network namespace in which the helper runs, and our one file of sysctl.d.
import { readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SYSCTL_FILE } from '@panel/shared/forwarding/sysctl.ts'
import type { Forwarding } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { codeOf, readIfThere, removeIfThere, syncFolder, writeWhole } from '../files/files.ts'

const SWITCHES = { ipv4: '/proc/sys/net/ipv4/ip_forward', ipv6: '/proc/sys/net/ipv6/conf/all/forwarding' } as const
const CONNTRACK = '/proc/sys/net/netfilter'

export function forwardingIn(sysctlDir: string): Forwarding {
  const path = join(sysctlDir, SYSCTL_FILE)
  return {
    facts: async () => ({
      live: { ipv4: (await numberIn(SWITCHES.ipv4)) === 1, ipv6: (await numberIn(SWITCHES.ipv6)) === 1 },
      has_ipv6: existsSync(SWITCHES.ipv6),
      sysctl_path: path,
      conntrack: await conntrack(),
    }),
    set: (family, is_on) => setSwitch(SWITCHES[family], is_on),
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
    throw new KernelError(codeOf(error) ?? 'EIO', `${path} cannot be set: ${codeOf(error)}`)
  }
}

/** Null where this kernel has no such value. */
async function numberIn(path: string): Promise<number | null> {
  try {
    return Number(await readFile(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function conntrack(): Promise<Awaited<ReturnType<Forwarding['facts']>>['conntrack']> {
  const [count, max, acct, timestamp] = await Promise.all(
    ['nf_conntrack_count', 'nf_conntrack_max', 'nf_conntrack_acct', 'nf_conntrack_timestamp'].map((name) =>
      numberIn(`${CONNTRACK}/${name}`),
    ),
  )
  return typeof count === 'number' && typeof max === 'number'
    ? { count, max, is_accounting: acct === 1, is_timestamping: timestamp === 1 }
    : null
}
