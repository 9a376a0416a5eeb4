// TLS: served by configuration, kept up to date, and nothing that follows from it without it (reference.md,
// Authentication 8; decisions.md, W21, W22, A3).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { SecureVersion } from 'node:tls'
import { drain, LIMITS, renew } from '@panel/web-daemon/platform/http/server.ts'
import { Certificates, dial, filesIn, fingerprintIn, pairIn, shownBy } from './support/certificates.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { Wire } from './support/wire.ts'
import { FOREVER_MS } from '../support/eventually.ts'

const HSTS = 'max-age=31536000'

describe('With a certificate the panel', () => {
  const certificates = new Certificates()
  const first = certificates.make('first')
  const second = certificates.make('second')
  let panel: TestPanel
  before(
    async () =>
      (panel = await startPanel({
        web_path: 'hidden',
        listening: { pair: pairIn(first), limits: { ...LIMITS, headers_ms: 300, check_ms: 50 } },
      })),
  )
  after(async () => {
    await panel.close()
    certificates.remove()
  })
  const isAlive = async (): Promise<void> => assert.equal((await panel.visitor().get('/system/health')).status, 200)
  afterEach(isAlive)

  it('is at an address of https, for clients that trust that certificate', async () => {
    assert.match(panel.base, /^https:\/\/127\.0\.0\.1:\d+\/hidden\/$/)
    const socket = await dial(panel.base, { ca: readFileSync(filesIn(first).cert) })
    assert.equal(socket.authorized, true)
    socket.destroy()
    await assert.rejects(dial(panel.base, { ca: readFileSync(filesIn(second).cert) }), {
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
  })

  it('sends Strict-Transport-Security with every answer under its prefix, and nothing of it outside', async () => {
    for (const path of [
      '/hidden/',
      '/hidden/api/v1/system/health',
      '/hidden/api/v1/nothing',
      '/hidden/assets/none.js',
    ]) {
      assert.equal((await panel.visitor().raw('GET', path)).headers['strict-transport-security'], HSTS, path)
    }
    assert.deepEqual(Object.keys((await panel.visitor().raw('GET', '/')).headers).sort(), [
      'connection',
      'content-length',
      'date',
    ])
  })

  it('gives Secure cookies, all three, and takes them back', async () => {
    const visitor = panel.visitor()
    const lines = (await visitor.post('/auth/setup', OPERATOR)).headers['set-cookie'] ?? []
    assert.equal(lines.length, 3)
    for (const line of lines) assert.match(line, /; Path=\/hidden\/;.*; Secure; SameSite=Strict$/)
    assert.equal((await visitor.get('/auth/me')).status, 200)
    for (const line of (await visitor.post('/auth/logout')).headers['set-cookie'] ?? []) assert.match(line, /; Secure;/)
  })

  it('speaks TLS 1.2 and 1.3, and nothing older', async () => {
    const only = (version: SecureVersion) => ({
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ciphers: 'DEFAULT@SECLEVEL=0',
    })
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await dial(panel.base, only(version))
      assert.equal(socket.getProtocol(), version)
      socket.destroy()
    }
    for (const version of ['TLSv1', 'TLSv1.1'] as const) await assert.rejects(dial(panel.base, only(version)))
  })

  it('closes a connection that speaks plain HTTP, or nothing sensible, or stops half-way, and goes on', async () => {
    for (const text of [
      'GET / HTTP/1.1\r\nHost: panel\r\n\r\n',
      '\0'.repeat(5000),
      '\x16\x03\x01\x02\x00\x01\x00',
      '',
    ]) {
      const wire = (await Wire.to(panel.base)).send(text)
      await wire.until(() => wire.isClosed, 'the end')
      assert.doesNotMatch(wire.output, /HTTP|Server/)
    }
  })

  it('takes a new certificate while it runs: the next connection sees it, and those that there are go on', async () => {
    const old = await dial(panel.base)
    renew(panel.server, pairIn(second))
    assert.equal(await shownBy(panel.base), fingerprintIn(second))
    const wire = new Wire(old).send('GET /hidden/api/v1/system/health HTTP/1.1\r\nHost: panel\r\n\r\n')
    await wire.answers(1)
    assert.deepEqual([wire.statuses, old.getPeerCertificate().fingerprint256], [[200], fingerprintIn(first)])
    wire.end()
    renew(panel.server, pairIn(first))
  })

  it('ends without waiting for a handshake that does not come, nor for a connection that asks nothing', async () => {
    const other = await startPanel({ listening: { pair: pairIn(first) } })
    const open: Socket[] = [(await Wire.to(other.base)).socket, await dial(other.base)]
    const closed = Promise.all(open.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    open[1]?.resume()
    await drain(other.server, FOREVER_MS)
    await closed
    await other.db.destroy()
  })
})

describe('Behind a proxy the panel', () => {
  const PROXY = '127.0.7.1'
  let panel: TestPanel
  before(async () => {
    panel = await startPanel({ trusted_proxies: [PROXY, '127.0.8.0/24'] })
    await panel.setUp()
  })
  after(() => panel.close())

  const login = (from: string, headers: Record<string, string>) =>
    panel.visitor().post('/auth/login', OPERATOR, { from, headers })
  const isSecure = async (from: string, headers: Record<string, string>): Promise<boolean> => {
    const reply = await login(from, headers)
    assert.equal(reply.status, 200)
    const secured = (reply.headers['set-cookie'] ?? []).filter((line) => line.includes('; Secure'))
    assert.ok(secured.length === 0 || secured.length === 3)
    assert.equal(reply.headers['strict-transport-security'], secured.length === 3 ? HSTS : undefined)
    return secured.length === 3
  }

  it('believes of one that the operator trusts, an address or a network, that the browser is on TLS', async () => {
    for (const from of [PROXY, '127.0.8.77']) assert.equal(await isSecure(from, { 'X-Forwarded-Proto': 'https' }), true)
    for (const headers of [{}, { 'X-Forwarded-Proto': 'http' }, { 'X-Forwarded-Proto': '' }])
      assert.equal(await isSecure(PROXY, headers), false)
  })

  it('believes nobody else, nor another header', async () => {
    for (const from of ['127.0.0.1', '127.0.7.2', '127.0.9.1'])
      assert.equal(await isSecure(from, { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': PROXY }), false)
    assert.equal(
      await isSecure(PROXY, { Forwarded: 'proto=https', 'X-Forwarded-Ssl': 'on', 'Front-End-Https': 'on' }),
      false,
    )
  })

  it('takes the far end of the connection for the client, whatever a header claims', async () => {
    await login(PROXY, {
      'X-Forwarded-For': '203.0.113.9',
      'X-Real-IP': '203.0.113.9',
      Forwarded: 'for=203.0.113.9',
      'X-Forwarded-Proto': 'https',
    })
    const { client_ip } = await panel.db
      .selectFrom('audit_log')
      .select('client_ip')
      .orderBy('audit_log_id', 'desc')
      .executeTakeFirstOrThrow()
    assert.equal(client_ip, PROXY)
  })

  it('trusts nobody by default', async () => {
    const plain = await startPanel()
    const { headers } = await plain.visitor().raw('GET', '/', undefined, { headers: { 'X-Forwarded-Proto': 'https' } })
    assert.equal(headers['strict-transport-security'], undefined)
    await plain.close()
  })
})
