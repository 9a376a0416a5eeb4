// How the operator gets into this host: the ports of sshd and of the panel, and the clients connected to them. Nothing
// is remembered but the clients that have used the helper.
import type { OwnAccess, OwnPort } from '../facilities.ts'
import { withConfigFile } from '../files/config-file.ts'
import { configuredSshPorts, listenersWithUsers, readText, TCP_TABLES } from './listeners.ts'
import { connectedTo, nameServers } from './socket-table.ts'

/** Users that have spoken to the helper: the panel's. Root may be anybody's, and is none of them. */
const panelUsers = new Set<number>()

export function notePeer(uid: number): void {
  if (uid !== 0) panelUsers.add(uid)
}

export const ownAccess: OwnAccess = {
  ports: findPorts,
  configured: configuredPorts,
  clients: async () => {
    const ports = new Set((await findPorts()).map(({ port }) => port))
    const tables = await Promise.all(TCP_TABLES.map(readText))
    return tables.flatMap((table) => connectedTo(ports, table))
  },
  resolvers: async () => (await Promise.all(RESOLVERS.map(readText))).flatMap(nameServers),
}

/** The second names those that a resolver of this host itself forwards to. */
const RESOLVERS = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf']

/**
 * The panel's are those of its user, and the one in its configuration, which is root's own file. Those that sshd is
 * configured for are its own while it restarts too.
 */
async function findPorts(): Promise<OwnPort[]> {
  const found = (await listenersWithUsers()).flatMap(({ protocol, port, uid, is_sshd }): OwnPort[] => {
    if (protocol !== 'tcp') return []
    return is_sshd ? [{ port, owner: 'sshd' }] : panelUsers.has(uid) ? [{ port, owner: 'panel' }] : []
  })
  return [...found, ...(await configuredPorts())]
}

async function configuredPorts(): Promise<OwnPort[]> {
  const port = Number((await withConfigFile(process.env))['PANEL_LISTEN_PORT'])
  const ofSshd = configuredSshPorts().map((one) => ({ port: one, owner: 'sshd' as const }))
  return port > 0 ? [...ofSshd, { port, owner: 'panel' }] : ofSshd
}
