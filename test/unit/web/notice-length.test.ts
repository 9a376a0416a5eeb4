// However long what a notification is about, and in whatever script: its body stays within 16 KiB.
import assert from 'node:assert/strict'
import { verbatim } from '@panel/shared/messages/message.ts'
import { WEBHOOK_KINDS } from '@panel/shared/api/webhooks.ts'
import type { SentNotice } from '@panel/web-daemon/features/webhooks/notice.ts'
import { requestFor } from '@panel/web-daemon/features/webhooks/send/requests.ts'
import type { Receiver } from '@panel/web-daemon/features/webhooks/credentials.ts'

const target = (kind: Receiver['kind']): Receiver => ({
  title: 'Hook',
  kind,
  address: 'https://hooks.example',
  has_secret: true,
  sealed: Buffer.alloc(0),
  url: 'https://hooks.example/',
  secret: 'whsec_AAAA',
  username: '',
  sender: '',
  recipient: '1',
  events: ['disk'],
  language: 'fa',
  cool_down_seconds: 300,
  is_enabled: true,
})

const bodyOf = (kind: Receiver['kind'], text: string): string => {
  const subject = { type: 'host', id: null, name: '' }
  const notice: SentNotice = {
    kind: 'disk',
    severity: 'problem',
    level: 1,
    subject,
    text: verbatim(text),
    event_id: 'one',
    at: '2026-01-01T00:00:00.000Z',
  }
  return requestFor(target(kind), notice, { title: 'A title', text, server: 'server' }, new Date(0)).body
}

describe('The body of a notification', () => {
  for (const kind of WEBHOOK_KINDS.filter((one) => one !== 'email'))
    for (const [what, character] of [
      ['Persian', 'ش'],
      ['Chinese', '隧'],
      ['what JSON escapes', '\u0001'],
      ['what Slack escapes', '&'],
    ] as const)
      it(`is sent to ${kind} shortened to 16 KiB where it is made of ${what}`, () => {
        for (const length of [2700, 5000, 100_000]) {
          const body = bodyOf(kind, character.repeat(length))
          assert.ok(Buffer.byteLength(body) <= 16 * 1024, String(Buffer.byteLength(body)))
          assert.ok(body.length > 200)
        }
      })
})
