// Listeners that are tried beside the old one: nothing closes until the new one has been used (reference.md, System;
// decisions.md, Y8 to Y11).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { KeepListenerAnswer, ListListenersAnswer, TryListenerAnswer } from '@panel/shared/api/listeners.ts'
import { ok } from '@panel/web-daemon/platform/http/endpoint.ts'
import { serializeEvent } from '@panel/web-daemon/platform/http/stream.ts'
import { Certificates, filesIn, fingerprintIn, shownBy } from './support/certificates.ts'
import type { Client } from './support/client.ts'
import { command, stream } from './support/declare.ts'
import { closedPort, closes, listed, through, tryListener } from './support/listeners.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { Wire } from './support/wire.ts'

const endpoints = [
  stream('GET /ticks', { tag: 'other', summary: 'Go on' }, async () => (subscriber) => {
    const timer = setInterval(() => subscriber.send(serializeEvent('tick', 1)), 20)
    return () => clearInterval(timer)
  }),
  command('POST /slow', { tag: 'other', summary: 'Take long', audit: 'BackupImport' }, async () => {
    await slow
    return ok({})
  }),
]
let finish: () => void
let slow: Promise<void>

describe('A listener on trial', () => {
  const certificates = new Certificates()
  const place = certificates.make('first')
  const tls = { cert: readFileSync(filesIn(place).cert, 'utf8'), key: readFileSync(filesIn(place).key, 'utf8') }
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    slow = new Promise((resolve) => (finish = resolve))
    panel = await startPanel({ extra_endpoints: endpoints })
    operator = await panel.setUp()
  })
  afterEach(() => {
    finish()
    return panel.close()
  })
  after(() => certificates.remove())

  const tried = async (body: object = {}): Promise<TryListenerAnswer['listener']> => {
    const { status, body: answer, text } = await tryListener(operator, body)
    assert.equal(status, 201, text)
    return answer.listener
  }
  const keep = (client: Client, id: number | null) => client.post<KeepListenerAnswer>(`/system/listeners/${id}/keep`)
  const places = async (client: Client): Promise<string[]> =>
    (await listed(client)).map(({ state, is_open }) => `${state} ${is_open}`)

  it('opens beside the old one, which goes on, with another address, port and certificate', async () => {
    const listener = await tried({ address: '127.0.0.2', tls, seconds: 15 })
    assert.deepEqual(
      [listener.state, listener.address, listener.is_tls, listener.is_open, listener.is_this, listener.seconds_left],
      ['trial', '127.0.0.2', true, true, false, 15],
    )
    assert.equal(listener.certificate?.fingerprint, fingerprintIn(place))
    const there = through(operator, listener)
    assert.equal(await shownBy(there.base), fingerprintIn(place))
    assert.deepEqual(
      (await listed(there)).map(({ state, is_this }) => [state, is_this]),
      [
        ['configured', false],
        ['trial', true],
      ],
    )
    assert.equal((await operator.get('/auth/me')).status, 200)
    const info = await there.get<{ serving: { bind_host: string; bind_port: number } }>('/system/info')
    assert.deepEqual([info.body.serving.bind_host, info.body.serving.bind_port], ['127.0.0.2', listener.port])
  })

  it('is kept only through itself; then the others close, and asking again changes nothing', async () => {
    const listener = await tried({ address: '127.0.0.2' })
    const old = await keep(operator, listener.listener_id)
    assert.deepEqual([old.status, old.error.code], [409, 'SAFE_APPLY_SAME_CONNECTION'])
    assert.match(old.error.message, new RegExp(`127\\.0\\.0\\.2 port ${listener.port}`))
    const there = through(operator, listener)
    const { status, body } = await keep(there, listener.listener_id)
    assert.equal(status, 200)
    assert.deepEqual([body.listener.state, body.listener.is_this, body.listener.seconds_left], ['kept', true, null])
    assert.deepEqual(body.closed, [{ address: '127.0.0.1', port: Number(new URL(panel.base).port) }])
    await closes(panel.base)
    assert.equal((await keep(there, listener.listener_id)).status, 200)
    assert.deepEqual(await places(there), ['configured false', 'kept true'])
  })

  it('is the same listener by whichever of its addresses one comes, and twice at once', async () => {
    const listener = await tried({ address: '0.0.0.0', force: true })
    for (const address of ['127.0.0.1', '127.0.0.9']) {
      const there = through(operator, { ...listener, address })
      assert.deepEqual(
        (await listed(there)).map(({ is_this }) => is_this),
        [false, true],
      )
    }
    const there = through(operator, { ...listener, address: '127.0.0.9' })
    const both = await Promise.all([keep(there, listener.listener_id), keep(there, listener.listener_id)])
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    )
  })

  it('is kept over IPv6 as well', async () => {
    const listener = await tried({ address: '0:0::1', port: await closedPort('::1') })
    assert.equal(listener.address, '::1')
    const there = through(operator, { ...listener, address: '[::1]' })
    assert.equal((await keep(there, listener.listener_id)).status, 200)
  })

  it('whose certificate is changed under another port is kept over the one before, which closes too', async () => {
    const first = await tried({ address: '127.0.0.2' })
    await keep(through(operator, first), first.listener_id)
    const { body } = await tryListener(through(operator, first), { address: '127.0.0.2', tls })
    const second = through(operator, body.listener)
    await keep(second, body.listener.listener_id)
    await closes(through(operator, first).base)
    assert.deepEqual(await panel.db.selectFrom('listener').select(['listener_id', 'port']).execute(), [
      { listener_id: body.listener.listener_id, port: body.listener.port },
    ])
  })

  it('closes by itself after its time, which the audit log tells, and the old one stays', async () => {
    const listener = await tried({ seconds: 15 })
    panel.clock.advance(14)
    await panel.listeners.check()
    assert.deepEqual(await places(operator), ['configured true', 'trial true'])
    panel.clock.advance(2)
    await panel.listeners.check()
    assert.deepEqual(await places(operator), ['configured true'])
    await closes(through(operator, listener).base)
    assert.equal((await keep(operator, listener.listener_id)).status, 404)
    const { entries } = (
      await operator.get<{ entries: { action: string; username: string; operations: string[] }[] }>('/audit')
    ).body
    const entry = entries.find(({ action }) => action === 'ListenerRemove')
    assert.deepEqual([entry?.username, entry?.operations.length], ['', 1])
    assert.match(entry?.operations[0] ?? '', /nobody kept it in time/)
  })

  it('is not touched by a clock that is set', async () => {
    await tried({ seconds: 15 })
    panel.clock.set(3600)
    await panel.listeners.check()
    const seen = panel.listeners.views({ address: '', port: 0, accepted_at: 0, is_resumed: false })
    assert.deepEqual(
      seen.map(({ state, seconds_left }) => [state, seconds_left]),
      [
        ['configured', null],
        ['trial', 15],
      ],
    )
  })

  it('can be ended, over whichever connection, and then makes room for another', async () => {
    const first = await tried()
    const second = await tryListener(operator, {})
    assert.deepEqual([second.status, second.error.code], [409, 'CONFLICT'])
    const gone = await through(operator, first).delete(`/system/listeners/${first.listener_id}`)
    assert.deepEqual([gone.status, gone.body], [200, { deleted: true, listener_id: first.listener_id }])
    await closes(through(operator, first).base)
    assert.notEqual((await tried()).listener_id, first.listener_id)
  })

  it('is in the audit log as the target where it is there, and not where no listener has the id', async () => {
    const listener_id = (await tried()).listener_id ?? assert.fail()
    for (const id of [listener_id, 0, listener_id + 1])
      assert.equal((await operator.delete(`/system/listeners/${id}`)).status, id === listener_id ? 200 : 404)
    const { entries } = (
      await operator.get<{ entries: { target_type: string; target_id: number | null }[] }>(
        '/audit?action=ListenerRemove',
      )
    ).body
    assert.deepEqual(
      entries.slice(0, 3).map(({ target_type, target_id }) => [target_type, target_id]),
      [
        ['', null],
        ['', null],
        ['listener', listener_id],
      ],
    )
  })

  it('lets a request on the old one finish and ends its streams properly', async () => {
    const jar = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const wire = (await Wire.to(panel.base)).send(`GET /api/v1/ticks HTTP/1.1\r\nHost: panel\r\nCookie: ${jar}\r\n\r\n`)
    await wire.until(() => wire.output.includes('event: tick'), 'a tick')
    const answer = operator.post('/slow')
    const listener = await tried()
    await wire.until(() => panel.streams.count('GET /ticks') === 1, 'the stream')
    assert.equal((await keep(through(operator, listener), listener.listener_id)).status, 200)
    await wire.closed
    assert.ok(wire.output.endsWith('\r\n0\r\n\r\n'), JSON.stringify(wire.output.slice(-60)))
    finish()
    assert.equal((await answer).status, 200)
  })

  it('has a stream of its own that goes on while another listener closes', async () => {
    const listener = await tried()
    const jar = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const wire = (await Wire.to(through(operator, listener).base)).send(
      `GET /api/v1/ticks HTTP/1.1\r\nHost: panel\r\nCookie: ${jar}\r\n\r\n`,
    )
    await keep(through(operator, listener), listener.listener_id)
    await closes(panel.base)
    const before = wire.output.length
    await wire.until(() => wire.output.length > before, 'another tick')
    wire.end()
  })

  it('is protected against relay rules, as are the configured and the kept one', async () => {
    const listener = await tried()
    const refused = async (bind_port: number): Promise<string> =>
      (
        await through(operator, listener).post('/routes', {
          bind_address: '192.0.2.1',
          bind_port,
          destination_address: '10.9.0.2',
          destination_port: 80,
        })
      ).error.code
    const ports = [listener.port, Number(new URL(panel.base).port)]
    for (const port of ports) assert.equal(await refused(port), 'PROTECTED_PORT')
    await keep(through(operator, listener), listener.listener_id)
    for (const port of ports) assert.equal(await refused(port), 'PROTECTED_PORT', 'after it was kept')
  })

  it('is not in a backup, nor is its key in any answer, the log or the audit log', async () => {
    const listener = await tried({ tls })
    const there = through(operator, listener)
    await keep(there, listener.listener_id)
    await tryListener(there, { tls: { cert: tls.key, key: tls.cert } })
    await tryListener(there, { tls: tls.key })
    const line = tls.key.split('\n')[5] ?? ''
    assert.ok(line.length > 40)
    for (const path of ['/backup/export', '/audit?limit=100', '/system/listeners', '/system/health', '/system/info'])
      assert.ok(!(await there.get(path)).text.includes(line), path)
    assert.ok(!panel.log.join('').includes(line))
    const rows = await panel.db.selectFrom('audit_log').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(line))
    assert.ok(!JSON.stringify((await there.get<ListListenersAnswer>('/backup/export')).body).includes('listener'))
  })

  it('answers the same under the same idempotency key, and a port that is free again can be tried again', async () => {
    const port = await closedPort()
    const [first, again] = [
      await tried({ port, idempotency_key: 'once' }),
      await tried({ port, idempotency_key: 'once' }),
    ]
    assert.equal(again.listener_id, first.listener_id)
    await operator.delete(`/system/listeners/${first.listener_id}`)
    await closes(through(operator, first).base)
    assert.equal((await tried({ port })).port, port)
  })
})
