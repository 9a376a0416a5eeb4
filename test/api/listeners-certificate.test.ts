// Another certificate at the address and port that the panel listens at already: shown to new connections by the same
// socket, kept only over one of those, and gone by itself (reference.md, System; decisions.md, Y10).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import type { KeepListenerAnswer, ListenerView } from '@panel/shared/api/listeners.ts'
import { Certificates, dial, filesIn, fingerprintIn, pairIn, shownBy } from './support/certificates.ts'
import type { Client } from './support/client.ts'
import { listed, tryListener } from './support/listeners.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { Wire } from './support/wire.ts'

describe('Another certificate at the same address and port', () => {
  const certificates = new Certificates()
  const [before, after_, third] = ['before', 'after', 'third'].map((name) => certificates.make(name)) as [
    string,
    string,
    string,
  ]
  const tlsIn = (place: string) => {
    const { cert, key } = filesIn(place)
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  }
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel({ listening: { pair: pairIn(before) } })
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())
  after(() => certificates.remove())

  const port = (): number => Number(new URL(panel.base).port)
  const tried = async (body: object = {}, client = operator): Promise<ListenerView> => {
    const { status, body: answer, text } = await tryListener(client, { port: port(), tls: tlsIn(after_), ...body })
    assert.equal(status, 201, text)
    return answer.listener
  }
  const keep = (id: number | null, agent?: Agent) =>
    operator.post<KeepListenerAnswer>(`/system/listeners/${id}/keep`, undefined, agent && { agent })
  const states = async (): Promise<[string, boolean, boolean][]> =>
    (await listed(operator)).map(({ state, is_open, is_this }) => [state, is_open, is_this])
  const audited = async (action: string): Promise<string[]> =>
    (await operator.get<{ entries: { action: string; operations: string[] }[] }>('/audit')).body.entries
      .filter((entry) => entry.action === action)
      .flatMap(({ operations }) => operations)
  const jar = (): string => [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  /** Over this one connection. */
  const asks = (path: string, method = 'GET'): string =>
    `${method} /api/v1${path} HTTP/1.1\r\nHost: panel\r\nCookie: ${jar()}\r\n` +
    `X-CSRF-Token: ${operator.cookies.get('panel_csrf') ?? ''}\r\nContent-Length: 0\r\n\r\n`

  it('is shown to new connections as soon as it is on trial, and is theirs to keep', async () => {
    const listener = await tried({ seconds: 15 })
    assert.deepEqual(
      [listener.state, listener.port, listener.is_in_place, listener.is_this, listener.seconds_left],
      ['trial', port(), true, false, 15],
    )
    assert.equal(await shownBy(panel.base), fingerprintIn(after_))
    assert.deepEqual(await states(), [
      ['configured', true, false],
      ['trial', true, true],
    ])
    const { status, body } = await keep(listener.listener_id)
    assert.deepEqual([status, body.listener.state, body.listener.is_this, body.closed], [200, 'kept', true, []])
    assert.equal((await keep(listener.listener_id)).status, 200, 'asking again changes nothing')
    assert.equal(await shownBy(panel.base), fingerprintIn(after_))
    assert.deepEqual(await states(), [
      ['configured', false, false],
      ['kept', true, true],
    ])
    assert.deepEqual(await audited('ListenerTry'), [`Shows another certificate at 127.0.0.1 port ${port()} for 15 s`])
    const stored = await panel.db.selectFrom('listener').select(['port', 'tls_cert']).execute()
    assert.deepEqual(stored, [{ port: port(), tls_cert: tlsIn(after_).cert }])
  })

  it('is not kept over a connection that was open before, which has one more answer and then ends', async () => {
    const old = new Wire(await dial(panel.base))
    const { listener_id } = await tried()
    old.send(asks(`/system/listeners/${listener_id}/keep`, 'POST'))
    await old.closed
    assert.deepEqual(old.statuses, [409])
    assert.match(old.output, /SAFE_APPLY_SAME_CONNECTION/)
    assert.match(old.output, /made before the new certificate/)
    assert.match(old.output, /\r\nConnection: close\r\n/i)
    assert.equal((await listed(operator)).length, 2, 'it is on trial still')
  })

  it('is shown even to clients that would resume an earlier session, or one of the trial, so that each connection can keep it', async () => {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const session = await sessionOf(panel.base, { maxVersion })
      const resumed = await dial(panel.base, { rejectUnauthorized: false, session, maxVersion })
      assert.equal(resumed.isSessionReused(), true, 'sessions are resumed without a trial')
      resumed.destroy()
      const { listener_id } = await tried()
      const again = await dial(panel.base, { rejectUnauthorized: false, session, maxVersion })
      assert.deepEqual(
        [again.isSessionReused(), again.getPeerCertificate().fingerprint256],
        [false, fingerprintIn(after_)],
      )
      again.destroy()
      await operator.delete(`/system/listeners/${listener_id}`)
    }
    const agent = new Agent({ rejectUnauthorized: false, maxCachedSessions: 10 })
    const { listener_id } = await tried()
    for (let left = 3; left > 0; left--) assert.equal((await operator.get('/auth/me', { agent })).status, 200)
    assert.equal((await keep(listener_id, agent)).status, 200)
  })

  it('goes by itself after its time, which the audit log records, and new connections are shown the earlier one', async () => {
    const { listener_id } = await tried({ seconds: 15 })
    panel.clock.advance(14)
    await panel.listeners.check()
    assert.equal(await shownBy(panel.base), fingerprintIn(after_))
    panel.clock.advance(2)
    await panel.listeners.check()
    assert.equal(await shownBy(panel.base), fingerprintIn(before))
    assert.deepEqual(await states(), [['configured', true, true]])
    assert.equal((await keep(listener_id)).status, 404)
    assert.deepEqual(await audited('ListenerRemove'), [
      `Shows the certificate of before at 127.0.0.1 port ${port()} again: nobody kept it in time`,
    ])
    assert.deepEqual(await panel.db.selectFrom('listener').selectAll().execute(), [])
  })

  it('can be ended, and makes room for another over the one that was kept', async () => {
    const first = await tried()
    assert.equal((await operator.delete(`/system/listeners/${first.listener_id}`)).status, 200)
    assert.equal(await shownBy(panel.base), fingerprintIn(before))
    await keep((await tried()).listener_id)
    const second = await tried({ tls: tlsIn(third) })
    assert.equal(await shownBy(panel.base), fingerprintIn(third))
    await operator.delete(`/system/listeners/${second.listener_id}`)
    assert.equal(await shownBy(panel.base), fingerprintIn(after_), 'the kept one')
    const last = await tried({ tls: tlsIn(third) })
    const { body } = await keep(last.listener_id)
    assert.deepEqual([body.closed, await shownBy(panel.base)], [[], fingerprintIn(third)])
  })

  it('stays on trial while a program renews the files of the configured one, whose new one comes back', async () => {
    const { listener_id } = await tried()
    panel.listeners.renewConfigured(pairIn(third))
    assert.equal(await shownBy(panel.base), fingerprintIn(after_))
    await operator.delete(`/system/listeners/${listener_id}`)
    assert.equal(await shownBy(panel.base), fingerprintIn(third))
    assert.equal((await listed(operator))[0]?.certificate?.fingerprint, fingerprintIn(third))
  })

  it('cannot be plain HTTP there, which a browser on TLS could not speak', async () => {
    const { status, error } = await tryListener(operator, { port: port(), tls: null })
    assert.deepEqual([status, error.details['errno']], [409, 'EADDRINUSE'])
    assert.match(error.message, /between HTTP and HTTPS/)
    assert.equal(await shownBy(panel.base), fingerprintIn(before))
  })
})

/** The ticket of a connection that has had an answer. */
const sessionOf = async (base: string, options: object): Promise<Buffer> => {
  const socket = await dial(base, { rejectUnauthorized: false, ...options })
  const wire = new Wire(socket).send('GET /api/v1/system/health HTTP/1.1\r\nHost: panel\r\n\r\n')
  await wire.until(() => wire.statuses.length > 0, 'an answer')
  const session = socket.getSession()
  socket.destroy()
  assert.ok(session)
  return session
}
