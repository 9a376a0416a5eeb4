// Which processes of this host listen on which ports, and which of them is sshd.
import { readdir, readFile, readlink } from 'node:fs/promises'
import type { Listener } from '@panel/shared/host/listener.ts'
import { log } from '../../log.ts'
import { errorCode } from '../files/files.ts'
import { socketsOfUnits } from './unit-sockets.ts'
import { sshPorts, waitingSockets, type BoundSocket } from './socket-table.ts'

export const TCP_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
const TABLES = [
  ...TCP_TABLES.map((path) => ['tcp', path] as const),
  ['udp', '/proc/net/udp'],
  ['udp', '/proc/net/udp6'],
] as const
const SSH_UNITS = ['ssh', 'sshd', 'dropbear'].flatMap((name) => [`${name}.service`, `${name}.socket`])
const SSH_CONFIG = '/etc/ssh/sshd_config'

/** One for each protocol, address and port. Nothing is remembered. */
export const findListeners = async (): Promise<Listener[]> =>
  (await listenersWithUsers()).map(({ uid: _, ...listener }) => listener)

export async function listenersWithUsers(): Promise<(Listener & Pick<BoundSocket, 'uid'>)[]> {
  const tables = await Promise.all(
    TABLES.map(async ([protocol, path]) => waitingSockets(protocol, await readText(path))),
  )
  const sockets = [
    ...new Map(tables.flat().map((socket) => [`${socket.protocol} ${socket.address} ${socket.port}`, socket])).values(),
  ]
  const [owners, ports, ofUnits] = await Promise.all([
    socketOwners(sockets),
    configuredSshPorts(),
    socketsOfUnits(SSH_UNITS),
  ])
  return sockets.map(({ inode, ...listener }) => {
    const process = owners.get(inode) ?? ''
    return {
      ...listener,
      process,
      is_sshd: listener.protocol === 'tcp' && (ofUnits.has(inode) || isSshd(process, ports.includes(listener.port))),
    }
  })
}

/**
 * systemd may hold the socket until somebody connects (ssh.socket), and a helper without the capability sees no process
 * name: then the configuration decides.
 */
const isSshd = (process: string, isConfigured: boolean): boolean =>
  process === 'sshd' || process === 'dropbear' || (isConfigured && (process === '' || process === 'systemd'))

async function configuredSshPorts(): Promise<number[]> {
  const more = (await namesIn(`${SSH_CONFIG}.d`))
    .filter((name) => name.endsWith('.conf'))
    .map((name) => `${SSH_CONFIG}.d/${name}`)
  return sshPorts((await Promise.all([SSH_CONFIG, ...more].map(readText))).join('\n'))
}

/** The name of a process that holds each socket, by its inode. */
async function socketOwners(sockets: readonly BoundSocket[]): Promise<Map<string, string>> {
  const wanted = new Set(sockets.map(({ inode }) => `socket:[${inode}]`))
  const owners = new Map<string, string>()
  for (const pid of (await namesIn('/proc')).filter((name) => /^\d+$/.test(name))) {
    const held = await Promise.all(
      (await namesIn(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(orElse(''))),
    )
    const ours = held.filter((target) => wanted.has(target))
    if (ours.length === 0) continue
    const name = (await readText(`/proc/${pid}/comm`)).replaceAll(/[^\x20-\x7e]/g, '').slice(0, 64)
    for (const target of ours) owners.set(target.slice('socket:['.length, -1), name)
  }
  return owners
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(orElse([]))
export const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(orElse(''))

/** Processes end while they are looked at, files need not exist, and a confined helper may not look everywhere. */
const orElse =
  <T>(nothing: T) =>
  (failure: unknown): T => {
    const code = errorCode(failure) ?? String(failure)
    if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(code))
      log('warning', 'Something of the listening processes could not be read', { code })
    return nothing
  }
