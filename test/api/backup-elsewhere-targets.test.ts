// Encrypted backups that go to targets of notifications (reference.md, Backup; decisions.md, B9).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { BackupElsewhereAnswer, OpenBackupAnswer, RunBackupAnswer } from '@panel/shared/api/backup-elsewhere.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { WEBHOOK_KINDS } from '@panel/shared/api/webhooks.ts'
import { eventually } from '../support/eventually.ts'
import { answers, accepts, smtpReceiver } from './support/receivers.ts'
import { set } from './support/settings.ts'
import { rest, signatureOf, startNotified, type Notified } from './support/webhooks.ts'

const PASSPHRASE = 'correct horse battery'
const MAIL = { kind: 'email', sender: 'panel@example.net', recipient: 'ops@example.net' }

interface Payload {
  readonly type: string
  readonly data: { readonly text: string; readonly file?: { readonly name: string; readonly content: string } }
}

describe('Backups elsewhere, to targets of notifications', () => {
  let made: Notified
  beforeEach(async () => {
    made = await startNotified()
    await made.operator.put('/backup/elsewhere/passphrase', { passphrase: PASSPHRASE })
    await set(made.operator, { 'backup.to_directory': false })
  })
  afterEach(() => made.close())

  const run = async (): Promise<RunBackupAnswer> =>
    (await (await made.panel.signIn()).post<RunBackupAnswer>('/backup/elsewhere/run')).body
  const view = async (): Promise<BackupElsewhereAnswer> =>
    (await (await made.panel.signIn()).get<BackupElsewhereAnswer>('/backup/elsewhere')).body
  const payloads = (): Payload[] => made.receiver.received.map(({ body }) => JSON.parse(body) as Payload)
  const opens = async (file: string): Promise<void> => {
    const { status, body } = await made.operator.post<OpenBackupAnswer>('/backup/elsewhere/open', {
      file,
      passphrase: PASSPHRASE,
    })
    assert.equal(status, 200)
    assert.equal(body.backup['version'], 1)
  }

  it('are in the body of a JSON target, signed, and more than a notification may have', async () => {
    for (let at = 0; at < 60; at += 1) {
      const pool = { address_pool_title: `Pool ${at}`, cidr: `10.${at}.0.0/24`, prefix_length: 30 }
      const { status } = await made.operator.post('/pools', { ...pool, description: randomBytes(150).toString('hex') })
      assert.equal(status, 201)
    }
    const { body } = await made.add({ events: ['backup'] })
    assert.equal((await run()).ok, true)
    await made.arrives(1)
    const [payload] = payloads()
    const file = payload?.data.file ?? assert.fail('no file')
    assert.equal(payload?.type, 'backup')
    assert.match(file.name, /^tunnel-panel-.*\.backup$/)
    assert.ok(file.content.length > 16 * 1024, String(file.content.length))
    assert.equal(signatureOf(made.receiver, body.secret ?? ''), made.receiver.received[0]?.headers['webhook-signature'])
    await opens(file.content)
  })

  it('are the attachment of a mail', async () => {
    const mailbox = await smtpReceiver()
    await made.add({ ...MAIL, url: mailbox.url, events: ['backup'] })
    await run()
    await eventually(() => mailbox.mails.length === 1, 'the mail')
    mailbox.close()
    const data = mailbox.mails[0]?.data ?? ''
    assert.match(data, /Content-Disposition: attachment;\s*filename=tunnel-panel-/)
    const encoded = /Content-Transfer-Encoding: base64[^]*?\n\n([A-Za-z0-9+/=\n]+)/.exec(data)?.[1] ?? assert.fail(data)
    await opens(Buffer.from(encoded, 'base64').toString())
  })

  it('go to no target that did not ask for them, and no other notification has a file', async () => {
    await made.add({ events: ['tunnel_state'] })
    assert.equal((await run()).detail_message.message_id, 'backup.elsewhere_nowhere')
    await made.tunnel('Down')
    await made.arrives(1)
    assert.deepEqual(
      payloads().map(({ type, data }) => [type, data.file]),
      [['tunnel_state', undefined]],
    )
  })

  for (const kind of WEBHOOK_KINDS.filter((one) => one !== 'json' && one !== 'email'))
    it(`are refused for a target of the kind ${kind}, which takes no file`, async () => {
      const more = { kind, secret: '1:abc', recipient: '1' }
      const { status, error } = await made.add({ ...more, events: ['backup', 'disk'] })
      assert.deepEqual([status, error.field], [422, 'events'])
      assert.match(error.message, /takes no file/)
      assert.equal((await made.add({ ...more, events: ['backup_failed'] })).status, 201)
    })

  it('are sent again after a failure, which health has until then', async () => {
    await set(made.operator, { 'backup.interval': 'daily' })
    await made.add({ events: ['backup'] })
    const health = async () => {
      const { components } = (await (await made.panel.signIn()).get<HealthAnswer>('/system/health')).body
      return components.find(({ name }) => name === 'backup')
    }
    made.receiver.behaves = answers(500)
    await made.panel.elsewhere.look()
    await made.arrives(1)
    await eventually(async () => (await health())?.status === 'degraded', 'the failing target in health')
    assert.equal((await health())?.detail_message?.message_id, 'backup.elsewhere_target')
    made.receiver.behaves = accepts
    made.pass(6)
    await made.arrives(2)
    await eventually(async () => (await health())?.status === 'ok', 'health')
    const [target] = (await view()).targets
    assert.notEqual(target?.delivered_at, null)
    assert.equal(target?.failing_since, null)
  })

  it('go once in each state while the directory fails', async () => {
    await set(made.operator, { 'backup.interval': 'daily', 'backup.to_directory': true })
    await made.add({ events: ['backup'] })
    await made.panel.elsewhere.look()
    await made.arrives(1)
    for (let hour = 0; hour < 3; hour += 1) {
      made.pass(3601)
      await made.panel.elsewhere.look()
    }
    await rest()
    assert.equal(made.receiver.received.length, 1)
    assert.match((await view()).last_error, /could not be written/)
  })

  it('that fail are a notification', async () => {
    await set(made.operator, { 'backup.interval': 'daily', 'backup.to_directory': true })
    await made.add({ events: ['backup_failed'] })
    await made.panel.elsewhere.look()
    await made.panel.notifications.look(made.panel.readIncidents)
    await made.panel.notifications.look(made.panel.readIncidents)
    await made.arrives(1)
    const [payload] = payloads()
    assert.equal(payload?.type, 'backup_failed')
    assert.match(payload?.data.text ?? '', /could not be written to \/nonexistent\/backups/)
  })
})
