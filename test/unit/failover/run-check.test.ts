// One check against real servers on loopback: what counts as up, and the reason of every other result.
import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { CheckTarget } from '@panel/web-daemon/features/failover/checker.ts'
import { CHECK_DEFAULTS } from '@panel/shared/api/routes/check.ts'
import { subscriptionOf } from '@panel/web-daemon/features/failover/tracked.ts'
import { runCheck } from '@panel/web-daemon/features/failover/run-check.ts'
import { namedRoute, newDestination } from '../../support/records.ts'

describe('A check of a destination', () => {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  let requests = ''
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers.splice(0)) server.close()
  })

  /** A server that answers so; "" says nothing. */
  const serving = async (answer: string): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('data', (data) => {
        requests = String(data)
        if (answer !== '') socket.end(answer)
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const check = async (port: number, more: Partial<CheckTarget> = {}, timeout_ms = 10_000): Promise<string> => {
    const target = { kind: 'http' as const, address: '127.0.0.1', port, source: null, path: '/', host: '' }
    const { outcome, reason } = await runCheck({ ...target, expect_status: null, ...more }, timeout_ms)
    return `${outcome}: ${reason.message.replaceAll(`${port}`, 'PORT')}`
  }
  const closedPort = async (): Promise<number> => {
    const port = await serving('')
    await new Promise((resolve) => servers.pop()?.close(resolve))
    return port
  }

  it('over TCP is whether the port accepts', async () => {
    assert.equal(await check(await serving(''), { kind: 'tcp' }), 'success: Port PORT accepts connections')
    assert.equal(await check(await closedPort(), { kind: 'tcp' }), 'refused: Port PORT refuses connections')
  })

  it('over HTTP is the status, which 200 to 399 passes', async () => {
    for (const [status, outcome] of [
      [200, 'success'],
      [399, 'success'],
      [400, 'failure'],
      [503, 'failure'],
    ])
      // prettier-ignore
      assert.match(await check(await serving(`HTTP/1.1 ${status} X\r\n\r\n`)), new RegExp(`^${outcome}: .*${status}`))
  })

  it('over HTTP is the one status that is expected, if one is', async () => {
    const port = await serving('HTTP/1.1 204 No Content\r\n\r\n')
    assert.equal(await check(port, { expect_status: 204 }), 'success: It answers HTTP with 204')
    assert.equal(await check(port, { expect_status: 200 }), 'failure: It answers HTTP with 204, and 200 is expected')
  })

  it('over HTTP asks for the path, of the host that is named or else of the address', async () => {
    const port = await serving('HTTP/1.0 200 OK\r\n\r\n')
    await check(port, { path: '/health?full=1', host: 'shop.example' })
    assert.match(requests, /^GET \/health\?full=1 HTTP\/1\.1\r\nHost: shop\.example\r\n/)
    await check(port)
    assert.match(requests, new RegExp(`^GET / HTTP/1\\.1\\r\\nHost: 127\\.0\\.0\\.1:${port}\r\n`))
  })

  it('over HTTP says what answers in another language, and what is silent', async () => {
    assert.equal(
      await check(await serving('SSH-2.0-OpenSSH\r\n')),
      'failure: It does not answer in HTTP: SSH-2.0-OpenSSH??',
    )
    assert.equal(await check(await closedPort()), 'refused: Port PORT refuses connections')
    assert.equal(await check(await serving(''), {}, 100), 'failure: No answer within 100 ms')
  })

  for (const kind of ['tcp', 'http'] as const)
    it(`over ${kind.toUpperCase()} is sent from the given address`, async () => {
      const seen: (string | undefined)[] = []
      const port = await serving('HTTP/1.0 200 OK\r\n\r\n')
      servers[0]?.on('connection', ({ remoteAddress }: Socket) => void seen.push(remoteAddress))
      await check(port, { kind, source: '127.0.0.7' })
      await check(port, { kind })
      assert.deepEqual(seen, ['127.0.0.7', '127.0.0.1'])
    })

  it('is sent from the address that the rule gives its packets, where this host has it', () => {
    const sourceOf = (snat_address: string | null): string | null | undefined => {
      const destination = { ...newDestination('10.9.0.2', 80), route_destination_id: 1 }
      const record = { ...namedRoute({ snat_address, check: CHECK_DEFAULTS }), destinations: [destination] }
      return subscriptionOf({ ...record, allowed_sources: [] }, destination)?.target.source
    }
    assert.deepEqual(['127.0.0.1', '192.0.2.77', null].map(sourceOf), ['127.0.0.1', null, null])
  })
})
