// How the operator gets into this host: the ports of sshd and of the panel, and the clients connected to them. Nothing
// is remembered but the clients that have used the helper.
import type { OwnAccess, OwnPort } from '../facilities.ts'
import { withConfigFile } from '../files/config-file.ts'
import { listenersWithUsers, readText, TCP_TABLES } from './listeners.ts'
import { connectedTo } from './socket-table.ts'

/** Users that have spoken to the helper: the panel's. Root may be anybody's, and is none of them. */
const panelUsers = new Set<number>()

export function notePeer(uid: number): void {
  if (uid !== 0) panelUsers.add(uid)
}

export const ownAccess: OwnAccess = {
  ports: findPorts,
  clients: async () => {
    const ports = new Set((await findPorts()).map(({ port }) => port))
    const tables = await Promise.all(TCP_TABLES.map(readText))
    return tables.flatMap((table) => connectedTo(ports, table))
  },
}

/** The panel's are those of its user, and the one in its configuration, which is root's own file. */
async function findPorts(): Promise<OwnPort[]> {
  const configured = Number((await withConfigFile(process.env))['PANEL_LISTEN_PORT'])
  const found = (await listenersWithUsers()).flatMap(({ protocol, port, uid, is_sshd }): OwnPort[] => {
    if (protocol !== 'tcp') return []
    return is_sshd ? [{ port, owner: 'sshd' }] : panelUsers.has(uid) ? [{ port, owner: 'panel' }] : []
  })
  return configured > 0 ? [...found, { port: configured, owner: 'panel' }] : found
}
