// No one address can take the connections of all others, and who does nothing gives way (decisions.md, W10).
import assert from 'node:assert/strict'
import { LIMITS } from '@panel/web-daemon/platform/http/server.ts'
import { command } from './support/declare.ts'
import { ok } from '@panel/web-daemon/platform/http/endpoint.ts'
import { startPanel, type TestPanel, type TestParts } from './support/panel.ts'
import { Wire } from './support/wire.ts'

const HEALTH = 'GET /hidden/api/v1/system/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const [STRANGER, OTHER, PROXY] = ['127.0.0.1', '127.0.0.2', '127.0.7.1']

describe('The connections of the HTTP server', () => {
  let panel: TestPanel
  let finish = (): void => undefined
  const endpoints = [
    command(
      'POST /slow',
      { tag: 'other', summary: 'Take long', audit: 'Logout', guards: { csrf: false, session: false } },
      async () => {
        await new Promise<void>((resolve) => (finish = resolve))
        return ok({})
      },
    ),
  ]
  const start = async (parts: TestParts): Promise<void> => {
    panel = await startPanel({ web_path: 'hidden', extra_endpoints: endpoints, ...parts })
    await panel.setUp()
  }
  afterEach(() => panel.close())

  const open = (count: number, from: string): Promise<Wire[]> =>
    Promise.all(Array.from({ length: count }, () => Wire.to(panel.base, from)))
  const isServed = async (from: string): Promise<void> => {
    const wire = (await Wire.to(panel.base, from)).send(HEALTH)
    await wire.answers(1)
    assert.deepEqual(wire.statuses, [200])
    wire.end()
  }
  const closed = (wires: readonly Wire[]): number => wires.filter((wire) => wire.isClosed).length

  it('of one address are bounded, and those of another are served meanwhile', async () => {
    await start({ listening: { limits: { ...LIMITS, connections_per_address: 20 } } })
    const wires = await open(30, STRANGER)
    await wires[29]!.until(() => closed(wires) === 10, 'the end of ten')
    await isServed(OTHER)
    for (const wire of wires) wire.end()
    await Promise.all(wires.map((wire) => wire.closed))
    await isServed(STRANGER)
  })

  it('of a proxy that the operator trusts may be more, since everybody comes through it', async () => {
    const limits = { ...LIMITS, connections: 40, connections_per_address: 5, connections_per_proxy: 20 }
    await start({ listening: { limits, trusted_proxies: ['127.0.7.0/24'] } })
    const wires = await open(30, PROXY)
    await wires[29]!.until(() => closed(wires) === 10, 'the end of ten')
    await isServed(STRANGER)
  })

  it('give way where there are too many: the one that has been idle for longest, and none with a request', async () => {
    await start({ listening: { limits: { ...LIMITS, connections: 20 } } })
    const [busy] = await open(1, STRANGER)
    busy!.send('POST /hidden/api/v1/slow HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n')
    const used = await Wire.to(panel.base, STRANGER)
    const idle = await open(18, STRANGER)
    await used.send(HEALTH).answers(1)
    await isServed(OTHER)
    assert.equal(closed(idle), 1)
    assert.ok(!busy!.isClosed && !used.isClosed)
    finish()
    await busy!.answers(1)
    assert.deepEqual(busy!.statuses, [200])
  })

  it('end after the bare 404 outside the web path, whatever the client would like', async () => {
    await start({})
    const wire = (await Wire.to(panel.base)).send('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n')
    await wire.until(() => wire.isClosed, 'the end')
    assert.match(
      wire.output,
      /^HTTP\/1\.1 404 Not Found\r\nContent-Length: 0\r\nDate: [^\r]*\r\nConnection: close\r\n\r\n$/,
    )
  })
})
