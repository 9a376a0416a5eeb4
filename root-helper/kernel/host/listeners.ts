// Which processes of this host listen on which ports, and which of them is sshd.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import type { Listener } from '@panel/shared/host/listener.ts'
import { log } from '../../log.ts'
import { errorCode } from '../files/files.ts'
import { socketsOfUnits } from './unit-sockets.ts'
import { socketPorts, sshPorts, waitingSockets, type BoundSocket } from './socket-table.ts'

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
  const configured = configuredSshPorts()
  const ports = configured.length === 0 ? [22] : configured
  const [owners, ofUnits] = await Promise.all([socketOwners(sockets), socketsOfUnits(SSH_UNITS)])
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
 * Whether sshd listens. systemd may hold the socket until a client connects (ssh.socket), and a helper without the
 * capability sees no process name: then the configuration decides.
 */
const isSshd = (process: string, isConfigured: boolean): boolean =>
  process === 'sshd' || process === 'dropbear' || (isConfigured && (process === '' || process === 'systemd'))

/** systemd listens in the place of sshd if this is there. */
const SSH_SOCKET = '/etc/systemd/system/sockets.target.wants/ssh.socket'
/** A later file goes on from an earlier one. */
const SOCKET_FOLDERS = ['/run/systemd/generator/ssh.socket.d', '/etc/systemd/system/ssh.socket.d']

/** Empty on a host without sshd. */
export function configuredSshPorts(): number[] {
  const config = textOf(SSH_CONFIG)
  const ofDaemon = config === '' ? [] : sshPorts([config, ...textsIn(`${SSH_CONFIG}.d`)].join('\n'))
  const socket = textOf(SSH_SOCKET)
  const ofSocket = socket === '' ? [] : socketPorts([socket, ...SOCKET_FOLDERS.flatMap(textsIn)].join('\n'))
  return [...new Set([...ofDaemon, ...ofSocket])]
}

const textsIn = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith('.conf'))
    .sort()
    .map((name) => textOf(`${folder}/${name}`))

/** Looked at in one turn of the event loop; through the thread pool each link would be a turn. */
const PROCESSES = 20

/** The name of a process that holds each socket, by its inode. */
async function socketOwners(sockets: readonly BoundSocket[]): Promise<Map<string, string>> {
  const wanted = new Set(sockets.map(({ inode }) => `socket:[${inode}]`))
  const owners = new Map<string, string>()
  for (const [at, pid] of namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .entries()) {
    if (at % PROCESSES === PROCESSES - 1) await turn()
    const held = namesIn(`/proc/${pid}/fd`).map((fd) => orNone('', () => readlinkSync(`/proc/${pid}/fd/${fd}`)))
    const ours = held.filter((target) => wanted.has(target))
    if (ours.length === 0) continue
    const name = textOf(`/proc/${pid}/comm`)
      .replaceAll(/[^\x20-\x7e]/g, '')
      .slice(0, 64)
    for (const target of ours) owners.set(target.slice('socket:['.length, -1), name)
  }
  return owners
}

const namesIn = (folder: string): string[] => orNone([], () => readdirSync(folder))
const textOf = (path: string): string => orNone('', () => readFileSync(path, 'utf8'))
/** The kernel may have many sockets to list, so this leaves the thread. */
export const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(orElse(''))

function orNone<T>(nothing: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return orElse(nothing)(error)
  }
}

/** Processes end while they are looked at, files need not exist, and a confined helper may not look everywhere. */
const orElse =
  <T>(nothing: T) =>
  (failure: unknown): T => {
    const code = errorCode(failure) ?? String(failure)
    if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(code))
      log('warning', 'Something of the listening processes could not be read', { code })
    return nothing
  }
