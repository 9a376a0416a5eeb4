// Targets of notifications: made, tested, and refused inside the networks of this host (reference.md, Notifications;
// decisions.md, N5, N6).
import assert from 'node:assert/strict'
import type { ListWebhooksAnswer, TestWebhookAnswer, WebhookView } from '@panel/shared/api/webhooks.ts'
import { startPanel } from './support/panel.ts'
import { answers, hangs, neverEnds } from './support/receivers.ts'
import { set } from './support/settings.ts'
import { HOOK, signatureOf, startNotified, type Notified } from './support/webhooks.ts'

describe('A target of notifications', () => {
  let panel: Notified['panel']
  let operator: Notified['operator']
  let receiver: Notified['receiver']
  let add: Notified['add']
  let test: Notified['test']
  let tunnel: Notified['tunnel']
  let arrives: Notified['arrives']
  let made: Notified
  beforeEach(async () => ({ panel, operator, receiver, add, test, tunnel, arrives } = made = await startNotified()))
  afterEach(() => made.close())

  describe('a target', () => {
    it('does not exist to begin with', async () => {
      assert.deepEqual((await operator.get<ListWebhooksAnswer>('/webhooks')).body, { webhooks: [], total: 0 })
    })

    it('is answered without its address past the host, and without its secret', async () => {
      const { status, body } = await add({ url: `${receiver.url}/very-private?key=1` })
      assert.equal(status, 201)
      assert.match(body.secret ?? '', /^whsec_/)
      const { text, body: view } = await operator.get<WebhookView>('/webhooks/1')
      assert.equal(view.address, `http://127.0.0.1:${receiver.port}`)
      assert.equal(view.has_secret, true)
      assert.doesNotMatch(text, /very-private|whsec_/)
    })

    it('keeps its address and its secret where it is replaced without them', async () => {
      const { body } = await add()
      const { url: _, ...without } = { ...HOOK, url: '' }
      assert.equal((await operator.put('/webhooks/1', { ...without, title: 'Other' })).status, 200)
      await test()
      assert.equal(receiver.received.length, 1)
      assert.equal(signatureOf(receiver, body.secret ?? ''), receiver.received[0]?.headers['webhook-signature'])
    })

    it('is refused with every problem at once', async () => {
      const { status, error } = await add({ kind: 'email', url: 'https://mail.example' })
      assert.equal(status, 422)
      const fields = (error.details['fields'] as { field: string }[]).map(({ field }) => field)
      assert.deepEqual(fields, ['url', 'sender', 'recipient'])
    })

    it('is refused with a name and a password in its address, and with plain HTTP unless that is allowed', async () => {
      assert.equal((await add({ url: 'https://me:pw@hooks.example/' })).error.field, 'url')
      await set(operator, { 'webhooks.allow_private': false })
      assert.equal((await add({ url: 'http://hooks.example/' })).error.field, 'url')
    })

    it('goes with its deliveries', async () => {
      await add()
      await tunnel('Down')
      await arrives(1)
      assert.equal((await operator.delete('/webhooks/1')).status, 200)
      assert.equal((await operator.get('/webhooks/1')).status, 404)
      assert.equal((await operator.get('/webhooks/1/deliveries')).status, 404)
    })

    it('leaves no secret in the audit log or the log', async () => {
      await add({ kind: 'slack', url: `${receiver.url}/T000/secretpath`, secret: 'secretword' })
      await test()
      const { text } = await operator.get('/audit?limit=100')
      assert.match(text, /WebhookCreate/)
      for (const kept of [text, panel.log.join('\n'), (await operator.get('/backup/export')).text])
        assert.doesNotMatch(kept, /secretpath|secretword/)
    })
  })

  describe('the test of a target', () => {
    it('is sent at once, and says that the receiver took it', async () => {
      await add()
      assert.equal((await test()).ok, true)
      assert.equal((JSON.parse(receiver.received[0]?.body ?? '') as { type: string }).type, 'test')
    })

    for (const [what, behaves, id] of [
      ['fails', answers(500), 'notice.status'],
      ['redirects to another host', answers(307, { location: 'http://127.0.0.2/' }), 'notice.redirect'],
      ['redirects for ever', answers(307, { location: '/again' }), 'notice.redirect'],
      ['hangs', hangs, 'notice.timeout'],
    ] as const)
      it(`says why it did not arrive at a receiver that ${what}`, async () => {
        receiver.behaves = behaves
        await add()
        const { ok, detail_message } = await test()
        assert.deepEqual([ok, detail_message.message_id], [false, id])
      })

    it('follows one redirect on the same host', async () => {
      receiver.behaves = (res, { path }) =>
        path === '/hook' ? answers(307, { location: '/moved' })(res, {} as never) : answers(200)(res, {} as never)
      await add()
      assert.equal((await test()).ok, true)
      assert.equal(receiver.received[1]?.path, '/moved')
    })

    it('reads no more than a little of an answer that never ends', async () => {
      receiver.behaves = neverEnds
      await add()
      assert.equal((await test()).ok, true)
    })

    it('is sent to one that is not stored as well, which stores nothing and leaves no secret behind', async () => {
      const body = { ...HOOK, url: `${receiver.url}/very-private`, secret: `whsec_${'A'.repeat(40)}` }
      const { status, body: tested } = await operator.post<TestWebhookAnswer>('/webhooks/try', body)
      assert.deepEqual([status, tested.ok], [200, true])
      assert.equal(signatureOf(receiver, body.secret), receiver.received[0]?.headers['webhook-signature'])
      receiver.behaves = answers(500)
      const { body: refused } = await operator.post<TestWebhookAnswer>('/webhooks/try', body)
      assert.deepEqual([refused.ok, refused.detail_message.message_id], [false, 'notice.status'])
      assert.equal((await operator.get<ListWebhooksAnswer>('/webhooks')).body.total, 0)
      const { text } = await operator.get('/audit?action=WebhookTest')
      for (const outcome of ['Delivered', 'Not delivered: ']) assert.ok(text.includes(outcome), `${outcome}: ${text}`)
      assert.doesNotMatch(text, /very-private|whsec_/)
    })

    it('of one that is not stored is refused for the same reasons as the target', async () => {
      await set(operator, { 'webhooks.allow_private': false })
      for (const url of [
        'http://hooks.example.net/',
        'https://10.0.0.1/',
        'https://a:b@hooks.example.net/',
        'nowhere',
      ]) {
        const answers = [
          await operator.post('/webhooks', { ...HOOK, url }),
          await operator.post('/webhooks/try', { ...HOOK, url }),
        ]
        assert.deepEqual(answers[1]?.error?.details, answers[0]?.error?.details, url)
        assert.equal(answers[0]?.status === 422, answers[1]?.status === 422, url)
      }
    })

    it('says that nobody listens', async () => {
      receiver.close()
      await add()
      assert.equal((await test()).detail_message.message_id, 'notice.unreachable')
    })
  })

  it('is given 10 seconds to answer where nothing else is configured', async () => {
    const other = await startPanel()
    const client = await other.setUp()
    await set(client, { 'webhooks.allow_private': true })
    receiver.behaves = hangs
    await client.post('/webhooks', { ...HOOK, url: receiver.url })
    const began = performance.now()
    const { body } = await client.post<TestWebhookAnswer>('/webhooks/1/test')
    const took = performance.now() - began
    await other.close()
    assert.deepEqual([body.detail_message.message_id, body.detail_message.params], ['notice.timeout', { seconds: 10 }])
    assert.ok(took > 9_900, `${took} ms`)
  })

  describe('a target inside the networks of this host', () => {
    beforeEach(() => set(operator, { 'webhooks.allow_private': false }))

    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.1.1',
      '169.254.169.254',
      '[::1]',
      '[fd00::1]',
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::7f00:1]',
      '[2002:7f00:1::1]',
      '[fec0::1]',
      '[::7f00:1]',
      '192.0.0.8',
      '198.18.0.1',
    ])
      it(`is refused: ${address}`, async () => {
        await add({ url: `https://${address}:${receiver.port}/hook` })
        assert.equal((await test()).detail_message.message_id, 'notice.private')
      })

    it('is refused by its name too', async () => {
      await add({ url: `https://localhost:${receiver.port}/hook` })
      assert.equal((await test()).detail_message.message_id, 'notice.private')
    })

    it('is refused to mail as well', async () => {
      await add({ kind: 'email', url: 'smtp://localhost:25', sender: 'a@a.example', recipient: 'b@b.example' })
      assert.equal((await test()).detail_message.message_id, 'notice.private')
    })
  })

  describe('a name that resolves differently a moment later', () => {
    it('is connected to at the address that was checked, and at no other', async () => {
      let looked = 0
      const rebinding = await startPanel({
        notifications: {
          timeout_ms: 300,
          resolve: (_name, answer) => {
            looked += 1
            answer(null, [{ address: looked === 1 ? '203.0.113.7' : '127.0.0.1', family: 4 }])
          },
        },
      })
      const client = await rebinding.setUp()
      const url = `https://rebinding.example:${receiver.port}/hook`
      await client.post('/webhooks', { ...HOOK, url })
      const first = await client.post<TestWebhookAnswer>('/webhooks/1/test')
      assert.equal(looked, 1)
      assert.notEqual(first.body.detail_message.message_id, 'notice.delivered')
      const second = await client.post<TestWebhookAnswer>('/webhooks/1/test')
      assert.equal(second.body.detail_message.message_id, 'notice.private')
      assert.equal(receiver.received.length, 0)
      await rebinding.close()
    })

    it('is refused where one of its addresses is inside', async () => {
      const mixed = await startPanel({
        notifications: {
          resolve: (_name, answer) =>
            answer(null, [
              { address: '203.0.113.7', family: 4 },
              { address: '10.0.0.1', family: 4 },
            ]),
        },
      })
      const client = await mixed.setUp()
      await client.post('/webhooks', { ...HOOK, url: 'https://mixed.example/' })
      const { body } = await client.post<TestWebhookAnswer>('/webhooks/1/test')
      assert.equal(body.detail_message.message_id, 'notice.private')
      await mixed.close()
    })
  })
})
