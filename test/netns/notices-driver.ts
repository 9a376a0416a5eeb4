// Runs in a network namespace where one public address leads to this host: sends a mail by an SMTP server that hides or
// offers STARTTLS, to the public address and to the loopback one, and prints what becomes of each.
import { execFileSync } from 'node:child_process'
import type { ChangeWebhookAnswer, TestWebhookAnswer } from '@panel/shared/api/webhooks.ts'
import { startPanel } from '../api/support/panel.ts'
import { set } from '../api/support/settings.ts'
import { mailServer } from '../api/support/tls-receivers.ts'

const [place = '', address = ''] = process.argv.slice(2)
execFileSync('ip', ['link', 'set', 'lo', 'up'])
// Not an address of an interface, which would make it one of the networks of this host.
execFileSync('ip', ['route', 'add', 'local', address, 'dev', 'lo'])

const panel = await startPanel()
const operator = await panel.setUp()

async function send(host: string, hides: boolean, allowPrivate: boolean): Promise<object> {
  const disabledCommands = hides ? ['STARTTLS'] : []
  const server = await mailServer(place, { disabledCommands, allowInsecureAuth: true })
  await set(operator, { 'webhooks.allow_private': allowPrivate })
  const { body: target } = await operator.post<ChangeWebhookAnswer>('/webhooks', {
    title: 'Mail',
    kind: 'email',
    events: ['disk'],
    url: `smtp://${host}:${server.port}`,
    sender: 'panel@a.example',
    recipient: 'me@b.example',
    username: 'panel',
    secret: 'pw-1',
  })
  const { body } = await operator.post<TestWebhookAnswer>(`/webhooks/${target.webhook_id}/test`)
  server.close()
  const received = server.received.map((one) => one.split(' ')[0])
  return { message_id: body.detail_message.message_id, received }
}

const results = {
  offered: await send(address, false, false),
  hidden: await send(address, true, false),
  hidden_and_private_allowed: await send(address, true, true),
  inside: await send('127.0.0.1', true, true),
}
process.stdout.write(JSON.stringify(results))
await panel.close()
process.exit(0)
