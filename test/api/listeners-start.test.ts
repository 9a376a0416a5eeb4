// What the panel opens when it starts: the kept listener, or else what the configuration says (reference.md, System;
// decisions.md, Y9).
import assert from 'node:assert/strict'
import { generateKeySync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { keepListener } from '@panel/web-daemon/features/listeners/store.ts'
import { sealPair } from '@panel/web-daemon/features/listeners/sealed-pair.ts'
import { SecretBox } from '@panel/web-daemon/platform/secret-box.ts'
import { quietly } from '../support/quietly.ts'
import { Certificates, filesIn, fingerprintIn, pairIn, shownBy } from './support/certificates.ts'
import { Client } from './support/client.ts'
import { startDaemonIn } from './support/daemon-on-disk.ts'
import { closedPort, closes, listed, through, tryListener } from './support/listeners.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

/** The configured listener of the panel in this process. */
const CONFIGURED = { address: '127.0.0.1', port: 0 }
const ELSEWHERE = '203.0.113.1'

describe('A panel with a kept listener', () => {
  quietly()
  const certificates = new Certificates()
  const place = certificates.make('kept')
  const tls = { cert: readFileSync(filesIn(place).cert, 'utf8'), key: readFileSync(filesIn(place).key, 'utf8') }
  const signing_key = generateKeySync('hmac', { length: 256 })
  let folder: string
  let store: string
  const panels: TestPanel[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'panel-listeners-'))
    store = join(folder, 'panel.db')
  })
  afterEach(async () => {
    for (const panel of panels.splice(0)) await panel.close()
    rmSync(folder, { recursive: true })
  })
  after(() => certificates.remove())

  const kept = async (listener: { address?: string; port: number; tls?: typeof tls | null }): Promise<void> => {
    const db = await openStore(store)
    const sealed = listener.tls ? sealPair(new SecretBox(signing_key, 'listener'), listener.tls) : null
    await keepListener(db, { listener_id: 7, address: '127.0.0.2', ...listener, tls: sealed }, CONFIGURED, new Date())
    await db.destroy()
  }
  const started = async (): Promise<TestPanel> => {
    const panel = await startPanel({ store, signing_key })
    panels.push(panel)
    return panel
  }
  const health = async (operator: Client) =>
    (await operator.get<HealthAnswer>('/system/health')).body.components.find(({ name }) => name === 'listener')
  const seen = async (operator: Client) =>
    (await listed(operator)).map(({ state, is_open, is_this, errno }) => [state, is_open, is_this, errno])

  it('opens that one and no other, with the certificate that was kept', async () => {
    const port = await closedPort('127.0.0.2')
    await kept({ port, tls })
    const panel = await started()
    assert.equal(panel.base, `https://127.0.0.2:${port}/`)
    assert.equal(await shownBy(panel.base), fingerprintIn(place))
    const operator = await panel.setUp()
    assert.deepEqual(await seen(operator), [
      ['configured', false, false, ''],
      ['kept', true, true, ''],
    ])
    assert.deepEqual([(await health(operator))?.status, statSync(store).mode & 0o777], ['ok', 0o600])
  })

  it('reports that the certificate which was kept ends soon, and then that it has ended', async () => {
    await kept({ port: await closedPort('127.0.0.2'), tls })
    const panel = await started()
    await panel.setUp()
    const [ends, day_s] = [pairIn(place).valid_to.getTime(), 86_400]
    const found = async (days: number) => {
      panel.clock.advance((ends - panel.clock.now().getTime()) / 1000 - days * day_s)
      const operator = await panel.signIn()
      const { body } = await operator.get<AttentionAnswer>('/reconcile/attention')
      const incidents = body.incidents.map(({ kind, state, reason_message }) => [
        kind,
        state,
        reason_message.message_id,
      ])
      return { health: (await health(operator))?.status, incidents }
    }
    assert.deepEqual(await found(31), { health: 'ok', incidents: [] })
    const id = 'listener.certificate_ends'
    assert.deepEqual(await found(29), { health: 'degraded', incidents: [['certificate', 'degraded', id]] })
    assert.deepEqual(await found(-1), { health: 'degraded', incidents: [['certificate', 'down', id]] })
  })

  it('falls back to the configured one where the address is gone, and says so in health and log', async () => {
    await kept({ address: ELSEWHERE, port: 8443 })
    const panel = await started()
    assert.match(panel.base, /^http:\/\/127\.0\.0\.1:/)
    const operator = await panel.setUp()
    assert.deepEqual(await seen(operator), [
      ['configured', true, true, ''],
      ['kept', false, false, 'EADDRNOTAVAIL'],
    ])
    const { status, detail } = (await health(operator)) ?? {}
    assert.equal(status, 'degraded')
    assert.match(detail ?? '', /cannot listen at 203\.0\.113\.1 port 8443.*EADDRNOTAVAIL.*127\.0\.0\.1 port \d+/)
    assert.match(panel.log.join(''), /"errno":"EADDRNOTAVAIL".*where the operator has kept it/)
  })

  it('falls back where the certificate is no use any more', async () => {
    await kept({ port: await closedPort('127.0.0.2'), tls: { ...tls, key: tls.cert } })
    const panel = await started()
    assert.match(panel.base, /^http:\/\/127\.0\.0\.1:/)
    const operator = await panel.setUp()
    assert.equal((await seen(operator))[1]?.[3], 'unusable certificate')
    assert.ok(!panel.log.join('').includes('BEGIN'))
  })

  it('goes back to the kept one as soon as that can be opened, and closes the configured one', async () => {
    const port = await closedPort('127.0.0.2')
    await kept({ port })
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.2', resolve))
    const panel = await started()
    const operator = await panel.setUp()
    assert.equal((await seen(operator))[1]?.[3], 'EADDRINUSE')
    await new Promise((resolve) => taken.close(resolve))
    panel.clock.advance(6)
    await panel.listeners.check()
    await closes(panel.base)
    const there = through(operator, { address: '127.0.0.2', port, is_tls: false })
    assert.deepEqual(await seen(there), [
      ['configured', false, false, ''],
      ['kept', true, true, ''],
    ])
  })

  it('is rid of it by a DELETE over the configured one, and not while that is closed', async () => {
    const port = await closedPort('127.0.0.2')
    await kept({ port })
    const panel = await started()
    const operator = await panel.setUp()
    const only = await operator.delete('/system/listeners/7')
    assert.deepEqual([only.status, only.error.code], [409, 'SAFE_APPLY_SAME_CONNECTION'])
    assert.match(only.error.message, /set-listen/)
    await panels.pop()?.close()
    await kept({ address: ELSEWHERE, port })
    const fallen = await started()
    assert.equal((await (await fallen.signIn()).delete('/system/listeners/7')).status, 200)
    assert.deepEqual(await fallen.db.selectFrom('listener').selectAll().execute(), [])
  })

  it('listens where the configuration says once that has changed, and does not remember the other', async () => {
    await kept({ port: await closedPort('127.0.0.2') })
    const panel = await startPanel({ store, configured: { address: '127.0.0.3', port: 0 } })
    panels.push(panel)
    assert.match(panel.base, /^http:\/\/127\.0\.0\.3:/)
    assert.deepEqual((await seen(await panel.setUp())).length, 1)
    assert.deepEqual(await panel.db.selectFrom('listener').selectAll().execute(), [])
  })

  it('that was replaced opens again if the daemon is killed between trial and keep, and the new one if it is killed after', async () => {
    const first = await startDaemonIn(folder)
    const operator = new Client(first.base)
    assert.equal((await operator.post('/auth/setup', OPERATOR)).status, 201)
    const tried = async (client: Client) => (await tryListener(client, { address: '127.0.0.2', tls })).body.listener
    await tried(operator)
    await first.kill()
    const second = await startDaemonIn(folder)
    assert.match(second.base, /^http:\/\/127\.0\.0\.1:/)
    const again = new Client(second.base)
    for (const [name, value] of operator.cookies) again.cookies.set(name, value)
    const listener = await tried(again)
    const { status } = await through(again, listener).post(`/system/listeners/${listener.listener_id}/keep`)
    assert.equal(status, 200)
    await second.kill()
    const third = await startDaemonIn(folder)
    assert.equal(third.base, `https://127.0.0.2:${listener.port}/`)
    assert.equal(await shownBy(third.base), fingerprintIn(place))
    await third.stop()
  })
})
