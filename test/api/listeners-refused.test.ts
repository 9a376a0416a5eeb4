// Listeners that cannot be: what is wrong with what was sent, and what the kernel says (reference.md, System;
// decisions.md, Y8, Y10).
import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { Certificates, filesIn } from './support/certificates.ts'
import type { Client } from './support/client.ts'
import { closedPort, listed, tryListener } from './support/listeners.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, madeRoute } from './support/routes.ts'
import { codesOf } from './support/tunnels.ts'

const NOBODY = 65534

describe('A listener that is refused', () => {
  const certificates = new Certificates()
  const pairOf = (name: string, now?: Date) => {
    const { cert, key } = filesIn(certificates.make(name, now))
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  }
  const [good, other, old] = [pairOf('good'), pairOf('other'), pairOf('old', new Date('2020-01-01'))]
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  after(async () => {
    await panel.close()
    certificates.remove()
  })
  afterEach(async () => assert.equal((await listed(operator)).length, 1, 'nothing was opened'))

  const locked = createPrivateKey(good.key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' })
    .toString()
  const wrong: readonly (readonly [string, object, Record<string, string>, RegExp])[] = [
    ['no address at all', { address: 'panel' }, { address: 'INVALID_ADDRESS' }, /address of this server/],
    ['an address with a zone', { address: 'fe80::1%lo' }, { address: 'INVALID_ADDRESS' }, /address of this server/],
    ['port 0', { port: 0 }, { port: 'INVALID_PORT' }, /from 1 to 65535/],
    ['14 seconds', { seconds: 14 }, { seconds: 'INVALID_VALUE' }, /from 15 to 3600/],
    ['3601 seconds', { seconds: 3601 }, { seconds: 'INVALID_VALUE' }, /from 15 to 3600/],
    ['seconds in quotes', { seconds: '60' }, { seconds: 'INVALID_VALUE' }, /from 15 to 3600/],
    ['half a pair', { tls: { cert: good.cert } }, { 'tls.key': 'INVALID_CERTIFICATE' }, /BEGIN PRIVATE KEY/],
    [
      'a certificate that cannot be read',
      { tls: { ...good, cert: 'MII' } },
      { 'tls.cert': 'INVALID_CERTIFICATE' },
      /certificate first/,
    ],
    ['an expired certificate', { tls: old }, { 'tls.cert': 'INVALID_CERTIFICATE' }, /expired on 2022-/],
    ['the key of another', { tls: { ...good, key: other.key } }, { 'tls.key': 'INVALID_CERTIFICATE' }, /not that of/],
    [
      'a key that is none',
      { tls: { ...good, key: good.cert } },
      { 'tls.key': 'INVALID_CERTIFICATE' },
      /BEGIN PRIVATE KEY/,
    ],
    ['a key with a passphrase', { tls: { ...good, key: locked } }, { 'tls.key': 'INVALID_CERTIFICATE' }, /passphrase/],
    ['plain HTTP on every address', { address: '0.0.0.0' }, { tls: 'TLS_REQUIRED' }, /in the clear/],
    ['plain HTTP on a public address', { address: '203.0.113.1' }, { tls: 'TLS_REQUIRED' }, /in the clear/],
  ]
  for (const [what, body, codes, text] of wrong)
    it(`for ${what}: 422 on the field`, async () => {
      const reply = await tryListener(operator, body)
      assert.deepEqual([reply.status, codesOf(reply)], [422, codes])
      assert.match(reply.error.message, text)
    })

  it('because a rule relays that port: 422 that names it, and not once the rule is off', async () => {
    const port = await closedPort()
    await madeRoute(operator, { route_rule_title: 'Mail', bind_port: port })
    const reply = await tryListener(operator, { port })
    assert.deepEqual([reply.status, codesOf(reply)], [422, { port: 'PORT_IN_USE' }])
    assert.match(reply.error.message, /relay rule Mail/)
    await actOnRoute(operator, 1, 'disable')
    const { status, body } = await tryListener(operator, { port })
    assert.equal(status, 201)
    await operator.delete(`/system/listeners/${body.listener.listener_id}`)
  })

  it('for an address that no interface has: 409 with the word of the kernel', async () => {
    const { status, error } = await tryListener(operator, { address: '203.0.113.1', port: 8443, force: true })
    assert.deepEqual(
      [status, error.code, error.field, error.details],
      [409, 'LISTENER_FAILED', 'address', { errno: 'EADDRNOTAVAIL', address: '203.0.113.1', port: 8443 }],
    )
    assert.match(error.message, /No interface of this server has the address 203\.0\.113\.1/)
  })

  it('for a port that is taken: another sentence where it is the panel itself that listens there', async () => {
    const server: Server = createServer()
    const port = await closedPort()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const taken = await tryListener(operator, { port })
    assert.deepEqual(
      [taken.status, taken.error.code, taken.error.details['errno']],
      [409, 'LISTENER_FAILED', 'EADDRINUSE'],
    )
    assert.match(taken.error.message, /Something on this server listens/)
    server.close()
    const own = await tryListener(operator, { port: Number(new URL(panel.base).port), tls: good })
    assert.deepEqual([own.status, own.error.details['errno']], [409, 'EADDRINUSE'])
    assert.match(own.error.message, /The panel itself listens on port/)
  })

  it('for a port below 1024, which a daemon without privileges has no right to', async function () {
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
    if (first <= 1 || process.getuid?.() !== 0) this.skip()
    process.seteuid?.(NOBODY)
    try {
      const { status, error } = await tryListener(operator, { port: first - 1 })
      assert.deepEqual([status, error.details['errno'], error.field], [409, 'EACCES', 'port'])
      assert.match(error.message, /from 1024 on/)
    } finally {
      process.seteuid?.(0)
    }
  })

  it('to clients without a session', async () => {
    assert.equal((await tryListener(panel.visitor(), {})).status, 403)
    assert.equal((await panel.visitor().get('/system/listeners')).status, 401)
  })
})
