// At least once over kill -9: what lies in the outbox when the daemon dies is sent by the next one.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { eventually } from '../support/eventually.ts'
import { quietly } from '../support/quietly.ts'
import { Client } from './support/client.ts'
import { startDaemonIn, type DaemonProcess } from './support/daemon-on-disk.ts'
import { OPERATOR } from './support/panel.ts'
import { accepts, hangs, httpReceiver, type HttpReceiver } from './support/receivers.ts'
import { set } from './support/settings.ts'

const KILLS = 3

describe('Notifications over kill -9 of the daemon', function () {
  quietly()
  let folder: string
  let receiver: HttpReceiver
  let daemon: DaemonProcess
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-outbox-'))
    receiver = await httpReceiver()
    daemon = await startDaemonIn(folder)
    const operator = new Client(daemon.base)
    await operator.post('/auth/setup', OPERATOR)
    await set(operator, { 'webhooks.allow_private': true, 'webhooks.sign_in_failures': 1 })
    const body = { title: 'Hook', kind: 'json', url: receiver.url, events: ['sign_in_failed'], cool_down_seconds: 0 }
    assert.equal((await operator.post('/webhooks', body)).status, 201)
  })
  after(async () => {
    await daemon.stop()
    receiver.close()
    rmSync(folder, { recursive: true })
  })

  const failSignIn = async (): Promise<void> => {
    const { status } = await new Client(daemon.base).post('/auth/login', { ...OPERATOR, password: 'a wrong one' })
    assert.ok([401, 429].includes(status), String(status))
  }
  const stored = (): string[] => {
    const db = new SQLite(join(folder, 'panel.db'), { readonly: true })
    const rows = db.prepare('select event_id from webhook_delivery').all() as { event_id: string }[]
    db.close()
    return rows.map(({ event_id }) => event_id)
  }
  const received = (): Set<string> => new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))

  for (let kill = 1; kill <= KILLS; kill += 1)
    it(`arrive, whenever it is killed: ${kill} of ${KILLS}`, async () => {
      // The receiver has the request and says nothing, so the daemon cannot know that it arrived.
      receiver.behaves = kill % 2 === 1 ? hangs : accepts
      const before = receiver.received.length
      await failSignIn()
      await failSignIn()
      await eventually(() => receiver.received.length > before, 'the first try')
      await sleep(Math.random() * 20)
      await daemon.kill()
      const events = stored()
      assert.ok(events.length >= kill)
      receiver.behaves = accepts
      daemon = await startDaemonIn(folder)
      await eventually(() => events.every((id) => received().has(id)), 'all that was stored')
    })

  it('came twice where the daemon died before it knew', () => {
    assert.ok(receiver.received.length > received().size)
  })
})
