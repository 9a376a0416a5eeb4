// A stored secret of a notification target stays with the receiver that it was given for (reference.md, Notifications;
// decisions.md, N6).
import assert from 'node:assert/strict'
import type { WebhookBody } from '@panel/shared/api/webhooks.ts'
import { HOOK, startNotified, type Notified } from './support/webhooks.ts'

const SECRET = 'a-secret-that-was-given'
const MAIL = { kind: 'email', sender: 'panel@example.net', recipient: 'me@example.net' }
const SIGNED = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** A target of each kind that has a secret: how it is stored, and addresses of other receivers. */
const TARGETS: readonly (Partial<Record<keyof WebhookBody, string>> & { readonly others: readonly string[] })[] = [
  {
    ...MAIL,
    url: 'smtp://mail.example.net:587',
    secret: SECRET,
    others: ['smtp://evil.example:587', 'smtp://mail.example.net:2525', 'smtps://mail.example.net:587'],
  },
  {
    kind: 'ntfy',
    url: 'https://ntfy.example.net/panel',
    secret: SECRET,
    others: ['https://evil.example/panel', 'http://ntfy.example.net/panel', 'https://ntfy.example.net:8443/panel'],
  },
  {
    kind: 'telegram',
    url: 'https://bots.example.net/',
    recipient: '42',
    secret: SECRET,
    others: ['https://api.telegram.org/', 'https://bots.example.net.evil.example/', 'https://bots.example.net:444/'],
  },
  {
    kind: 'json',
    url: 'https://hooks.example.net/panel',
    secret: SIGNED,
    others: ['https://evil.example/panel', 'http://hooks.example.net/panel', 'https://hooks.example.net:8443/panel'],
  },
]

describe('The stored secret of a notification target', () => {
  let made: Notified
  beforeEach(async () => (made = await startNotified()))
  afterEach(() => made.close())

  for (const { others, ...target } of TARGETS) {
    it(`of the kind ${target.kind} has to be given again for another scheme, host or port`, async () => {
      assert.equal((await made.add(target)).status, 201)
      const before = await made.stored()
      const { secret, ...without } = { ...HOOK, ...target }
      for (const url of others) {
        const { status, error } = await made.operator.put('/webhooks/1', { ...without, url })
        assert.deepEqual([status, error.field], [422, 'secret'], url)
        assert.match(error.message, /given again/)
        assert.deepEqual(await made.stored(), before)
      }
      for (const url of others) {
        assert.equal((await made.operator.put('/webhooks/1', { ...without, url, secret })).status, 200, url)
        assert.deepEqual([(await made.stored()).url, (await made.stored()).secret], [url, secret])
      }
    })

    it(`of the kind ${target.kind} stays for another path on the same receiver`, async () => {
      assert.equal((await made.add(target)).status, 201)
      const { secret, ...without } = { ...HOOK, ...target }
      const url = new URL('other', target.url?.replace(/\/?$/, '/')).href
      assert.equal((await made.operator.put('/webhooks/1', { ...without, url })).status, 200)
      assert.deepEqual([(await made.stored()).url, (await made.stored()).secret], [url, secret])
    })
  }

  it('never reaches the receiver that a target without one is led to', async () => {
    await made.add({ kind: 'ntfy', url: 'https://ntfy.example.net/panel', secret: SECRET })
    const body = { ...HOOK, kind: 'ntfy', url: made.receiver.url }
    assert.equal((await made.operator.put('/webhooks/1', body)).status, 422)
    await made.test()
    assert.equal(made.receiver.received.length, 0)
    assert.equal((await made.operator.put('/webhooks/1', { ...body, secret: 'another' })).status, 200)
    await made.test()
    assert.equal(made.receiver.received[0]?.headers['authorization'], 'Bearer another')
  })

  it('is not requested if there is none', async () => {
    const body = { ...HOOK, kind: 'ntfy', url: 'https://ntfy.example.net/panel' }
    await made.operator.post('/webhooks', body)
    assert.equal((await made.operator.put('/webhooks/1', { ...body, url: 'https://other.example/panel' })).status, 200)
  })
})
