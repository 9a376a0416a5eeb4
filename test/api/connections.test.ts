// No one address can take the connections of all others, and who does nothing gives way (decisions.md, W10).
import assert from 'node:assert/strict'
import { LIMITS } from '@panel/web-daemon/platform/http/server.ts'
import { command } from './support/declare.ts'
import { ok } from '@panel/web-daemon/platform/http/endpoint.ts'
import { startPanel, type TestPanel, type TestParts } from './support/panel.ts'
import { Wire } from './support/wire.ts'

const HEALTH = 'GET /hidden/api/v1/system/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const SLOW = 'POST /hidden/api/v1/slow HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n'
const [STRANGER, OTHER, PROXY] = ['127.0.0.1', '127.0.0.2', '127.0.7.1']

describe('The connections of the HTTP server', () => {
  let panel: TestPanel
  const finish: (() => void)[] = []
  const endpoints = [
    command(
      'POST /slow',
      { tag: 'other', summary: 'Take long', audit: 'Logout', guards: { csrf: false, session: false } },
      async () => {
        await new Promise<void>((resolve) => finish.push(resolve))
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

  it('that one address holds idle shut out neither another address nor its own: the longest idle gives way', async () => {
    await start({})
    const idle = await open(LIMITS.connections_per_address, STRANGER)
    await isServed(OTHER)
    assert.equal(closed(idle), 0)
    await isServed(STRANGER)
    await idle[0]!.closed
    assert.equal(closed(idle), 1)
    for (const wire of idle) wire.end()
  })

  it('do not end for another of their address while they have a request or are a stream', async () => {
    await start({ listening: { limits: { ...LIMITS, connections_per_address: 4 } } })
    const { cookies } = await panel.signIn()
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const [slow, stream, ...idle] = await open(4, STRANGER)
    slow!.send(SLOW)
    stream!.send(`GET /hidden/api/v1/monitor/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\n\r\n`)
    await stream!.answers(1)
    assert.deepEqual(stream!.statuses, [200])
    const [third, fourth] = await open(2, STRANGER)
    await Promise.all(idle.map((wire) => wire.closed))
    for (const wire of [third!, fourth!]) await wire.send(HEALTH).answers(1)
    assert.ok(!slow!.isClosed && !stream!.isClosed)

    for (const wire of [third!, fourth!]) wire.send(SLOW)
    await third!.until(() => finish.length === 3, 'three requests')
    const [refused] = await open(1, STRANGER)
    await refused!.closed
    assert.equal(refused!.output, '')
    await isServed(OTHER)
    for (const end of finish) end()
    for (const [wire, count] of [
      [slow!, 1],
      [third!, 2],
      [fourth!, 2],
    ] as const) {
      await wire.answers(count)
      assert.equal(wire.statuses.at(-1), 200)
    }
    await isServed(STRANGER)
    assert.ok(!stream!.isClosed)
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
    busy!.send(SLOW)
    const used = await Wire.to(panel.base, STRANGER)
    const idle = await open(18, STRANGER)
    await used.send(HEALTH).answers(1)
    await isServed(OTHER)
    assert.equal(closed(idle), 1)
    assert.ok(!busy!.isClosed && !used.isClosed)
    for (const end of finish) end()
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
