// How the HTTP server ends: what is under way is finished, and nothing else is waited for (decisions.md, W9, W10).
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { command, stream } from './support/declare.ts'
import { ok } from '@panel/web-daemon/platform/http/endpoint.ts'
import { drain } from '@panel/web-daemon/platform/http/server.ts'
import { serializeEvent } from '@panel/web-daemon/platform/http/stream.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { Wire } from './support/wire.ts'
import { FOREVER_MS } from '../support/eventually.ts'

const endpoints = [
  command('POST /slow', { tag: 'other', summary: 'Take long', audit: 'BackupImport' }, async () => {
    await sleep(300)
    return ok({})
  }),
  stream('GET /ticks', { tag: 'other', summary: 'Go on' }, async () => (subscriber) => {
    const timer = setInterval(() => subscriber.send(serializeEvent('tick', 1)), 20)
    return () => clearInterval(timer)
  }),
]

/** The headers that sign a request in. */
const signed = (operator: Client): string =>
  `Host: panel\r\nCookie: ${[...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}\r\nX-CSRF-Token: ${operator.cookies.get('panel_csrf') ?? ''}\r\nContent-Type: application/json\r\n`

describe('The end of the panel', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel({ extra_endpoints: endpoints })
    operator = await panel.setUp()
  })
  afterEach(() => panel.db.destroy())

  it('waits for what is under way, and for no connection without a request, or with its answer', async () => {
    const idle = [
      await Wire.to(panel.base),
      (await Wire.to(panel.base)).send('GET /api'),
      (await Wire.to(panel.base)).send('GET / HTTP/1.1\r\nHost: panel\r\n\r\n'),
    ]
    await idle[2]!.answers(1)
    const slow = operator.post('/slow')
    await sleep(100)
    await drain(panel.server, FOREVER_MS)
    assert.equal((await slow).status, 200)
    for (const wire of idle) await wire.closed
  })

  it('tells a caller who keeps asking on one connection that this was his last answer', async () => {
    const post = `POST /api/v1/slow HTTP/1.1\r\n${signed(operator)}Content-Length: 0\r\n\r\n`
    const wire = (await Wire.to(panel.base)).send(post)
    await sleep(100)
    const drained = drain(panel.server)
    wire.send(post.repeat(3))
    await drained
    await wire.closed
    assert.deepEqual(wire.statuses, [200, 200])
    assert.match(wire.output, /Connection: close/)
  })

  it('lets no stream begin', async () => {
    panel.streams.endAll()
    const { status, error } = await operator.get('/ticks')
    assert.deepEqual([status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason: 'stopping' }])
    await panel.close()
  })
})
