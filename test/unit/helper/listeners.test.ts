// Who waits on which port: the kernel's tables of sockets and the configuration of sshd, read as they are written.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { findListeners } from '@panel/root-helper/kernel/host/listeners.ts'
import { notePeer, ownAccess } from '@panel/root-helper/kernel/host/own-access.ts'
import { sshPorts, waitingSockets } from '@panel/root-helper/kernel/host/socket-table.ts'

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const row = (local: string, remote: string, state: string, inode = 1): string =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000000000000000 100 0 0 10 0`
const table = (...rows: string[]): string => [HEAD, ...rows, ''].join('\n')

describe('The table of sockets', () => {
  it('shows IPv4 and IPv6 addresses, and an IPv4 address written as IPv6 as what it is', () => {
    const sockets = waitingSockets(
      'tcp',
      table(
        row('0100007F:1F90', '00000000:0000', '0A', 7),
        row('00000000000000000000000000000000:0016', '00000000000000000000000000000000:0000', '0A'),
        row('B80D0120000000000000000001000000:01BB', '00000000000000000000000000000000:0000', '0A'),
        row('0000000000000000FFFF0000010200C0:0050', '00000000000000000000000000000000:0000', '0A'),
      ),
    )
    assert.deepEqual(
      sockets.map(({ address, port }) => `${address} ${port}`),
      ['127.0.0.1 8080', ':: 22', '2001:db8::1 443', '192.0.2.1 80'],
    )
    assert.equal(sockets[0]?.inode, '7')
  })

  it('leaves out connections, and UDP sockets that speak to one far end', () => {
    assert.deepEqual(waitingSockets('tcp', table(row('0100007F:1F90', '0100007F:8000', '01'))), [])
    assert.deepEqual(
      waitingSockets(
        'udp',
        table(row('00000000:0035', '00000000:0000', '07'), row('00000000:8000', '08080808:0035', '01')),
      ).map(({ port }) => port),
      [53],
    )
  })
})

describe('The ports of sshd', () => {
  it('are 22 where the configuration names none, and else those that it names', () => {
    assert.deepEqual(sshPorts('# Port 2222\nPermitRootLogin no\n'), [22])
    assert.deepEqual(
      sshPorts(
        'Port 2222\nport=2200\nListenAddress 192.0.2.1:2201\nListenAddress [2001:db8::1]:2202\nListenAddress 192.0.2.2\n',
      ),
      [2222, 2200, 2201, 2202],
    )
  })
})

describe('findListeners', () => {
  it('names the process of a port that is listened on here', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const found = (await findListeners()).find((one) => one.port === port)
    server.close()
    assert.deepEqual([found?.protocol, found?.address, found?.is_sshd], ['tcp', '127.0.0.1', false])
    assert.notEqual(found?.process, '')
  })
})

describe('The ports of the panel', () => {
  /** Not root, which may be anybody. */
  const PANEL = process.getuid?.() === 0 ? 65534 : (process.getuid?.() ?? 0)

  /** Listens as another user, for tests that run as root: the kernel remembers the socket's maker. */
  const listeningAs = async (user: number): Promise<Server> => {
    const server = createServer()
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(user)
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
    return server
  }
  const portOf = (server: Server): number => (server.address() as AddressInfo).port

  it('are all that its user listens on, kept or on trial', async () => {
    notePeer(PANEL)
    const servers = [await listeningAs(PANEL), await listeningAs(PANEL)]
    const own = (await ownAccess.ports()).filter(({ owner }) => owner === 'panel').map(({ port }) => port)
    for (const server of servers) assert.ok(own.includes(portOf(server)), String(portOf(server)))
    const [kept, trial] = servers.map(portOf) as [number, number]
    await Promise.all(servers.slice(1).map((server) => once(server.close(), 'close')))
    const left = (await ownAccess.ports()).map(({ port }) => port)
    assert.deepEqual([left.includes(kept), left.includes(trial)], [true, false])
    servers[0]?.close()
  })
})
