// Which listening sockets belong to units of systemd, by their control group: the package's helper may not look into
// other processes, and a socket unit has no process at all.
import { statSync } from 'node:fs'
import { AF_INET, AF_INET6 } from '../../netlink/constants.ts'
import { decodeListening, dumpListening, NETLINK_SOCK_DIAG } from '../../netlink/sock-diag.ts'
import { NetlinkSocket } from '../../netlink/socket.ts'
import { KernelError } from '../../kernel-error.ts'
import { errorCode } from '../files/files.ts'

const SYSTEM_SLICE = '/sys/fs/cgroup/system.slice'

/** Inodes of the sockets of these units. None where the host has no such groups, or its kernel does not tell. */
export async function socketsOfUnits(units: readonly string[], slice = SYSTEM_SLICE): Promise<ReadonlySet<string>> {
  const groups = new Set(units.flatMap((unit) => groupNumber(`${slice}/${unit}`)))
  if (groups.size === 0) return new Set()
  const socket = new NetlinkSocket({ protocol: NETLINK_SOCK_DIAG })
  try {
    const dumps = await Promise.all([AF_INET, AF_INET6].map((family) => socket.dump(dumpListening(family))))
    const found = dumps.flat().map(decodeListening)
    return new Set(found.filter(({ cgroup }) => cgroup !== null && groups.has(cgroup)).map(({ inode }) => inode))
  } catch (error) {
    if (error instanceof KernelError) return new Set()
    throw error
  } finally {
    socket.close()
  }
}

function groupNumber(path: string): bigint[] {
  try {
    return [statSync(path, { bigint: true }).ino]
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes(errorCode(error) ?? '')) return []
    throw error
  }
}
