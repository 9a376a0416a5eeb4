// Notifications over TLS: to an HTTPS server, and to an SMTP server with STARTTLS and with TLS from the start. The
// certificate is one of a private authority, which NODE_EXTRA_CA_CERTS of the daemon makes trusted or not.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeWebhookAnswer, TestWebhookAnswer } from '@panel/shared/api/webhooks.ts'
import { quietly } from '../support/quietly.ts'
import { Certificates, filesIn } from './support/certificates.ts'
import { Client } from './support/client.ts'
import { startDaemonIn, type DaemonProcess } from './support/daemon-on-disk.ts'
import { OPERATOR } from './support/panel.ts'
import { set } from './support/settings.ts'
import { httpsReceiver, mailServer, type TlsReceiver } from './support/tls-receivers.ts'

const MAIL = { kind: 'email', sender: 'panel@a.example', recipient: 'me@b.example', username: 'panel', secret: 'pw-1' }
const WAYS = {
  https: { body: { kind: 'json' }, start: httpsReceiver },
  smtp: { body: MAIL, start: (place: string) => mailServer(place) },
  smtps: { body: MAIL, start: (place: string) => mailServer(place, { secure: true }) },
} as const

describe('A notification over TLS', function () {
  quietly()
  const certificates = new Certificates()
  const folders: string[] = []
  const daemons: DaemonProcess[] = []
  const receivers: TlsReceiver[] = []
  let trusting: Client
  let strange: Client

  const start = async (env: Record<string, string>): Promise<Client> => {
    const folder = mkdtempSync(join(tmpdir(), 'panel-tls-notices-'))
    folders.push(folder)
    const daemon = await startDaemonIn(folder, env)
    daemons.push(daemon)
    const client = new Client(daemon.base)
    await client.post('/auth/setup', OPERATOR)
    await set(client, { 'webhooks.allow_private': true })
    return client
  }
  before(async () => {
    const place = certificates.make('receiver')
    trusting = await start({ NODE_EXTRA_CA_CERTS: filesIn(place).cert })
    strange = await start({})
  })
  after(async () => {
    for (const receiver of receivers) receiver.close()
    for (const daemon of daemons) await daemon.stop()
    for (const folder of folders) rmSync(folder, { recursive: true })
    certificates.remove()
  })

  /** What becomes of a test to a new receiver, which goes by that name. */
  const send = async (client: Client, way: keyof typeof WAYS, host: string) => {
    const receiver = await WAYS[way].start(join(certificates.folder, 'receiver'))
    receivers.push(receiver)
    const url = `${way}://${host}:${receiver.port}/`
    const added = await client.post<ChangeWebhookAnswer>('/webhooks', {
      title: way,
      events: ['disk'],
      ...WAYS[way].body,
      url,
    })
    assert.equal(added.status, 201, added.text)
    const { body } = await client.post<TestWebhookAnswer>(`/webhooks/${added.body.webhook_id}/test`)
    return { ...body, received: receiver.received.join('\n') }
  }

  for (const way of ['https', 'smtp', 'smtps'] as const)
    describe(`by ${way}`, () => {
      for (const host of ['localhost', '127.0.0.1'])
        it(`arrives where the certificate is trusted and names ${host}`, async () => {
          const { ok, detail, received } = await send(trusting, way, host)
          assert.ok(ok, detail)
          if (way !== 'https') assert.match(received, /^password pw-1\nencrypted /)
          else assert.match(received, /notice\.test/)
        })

      it('is refused, with the reason, where the certificate is not trusted', async () => {
        const { ok, detail_message, received } = await send(strange, way, 'localhost')
        assert.deepEqual([ok, detail_message.message_id, received], [false, 'notice.certificate_untrusted', ''])
      })

      it('is refused, with the reason, where the certificate names another host', async () => {
        // The same server by an address that its certificate does not name.
        const { ok, detail_message, received } = await send(trusting, way, '127.0.0.2')
        assert.deepEqual([ok, detail_message.message_id, received], [false, 'notice.certificate_name', ''])
      })
    })
})
