// What notifications say, to each kind of receiver and in each language; when they are sent, and when again
// (reference.md, Notifications; decisions.md, N1 to N4).
import assert from 'node:assert/strict'
import type { WebhookView } from '@panel/shared/api/webhooks.ts'
import { eventually } from '../support/eventually.ts'
import { answers, hangs, httpReceiver, smtpReceiver } from './support/receivers.ts'
import { set } from './support/settings.ts'
import { rest, signatureOf, startNotified, type Notified } from './support/webhooks.ts'

describe('A notification', () => {
  let operator: Notified['operator']
  let receiver: Notified['receiver']
  let add: Notified['add']
  let deliveries: Notified['deliveries']
  let test: Notified['test']
  let tunnel: Notified['tunnel']
  let arrives: Notified['arrives']
  let pass: Notified['pass']
  let made: Notified
  beforeEach(
    async () => ({ operator, receiver, add, deliveries, test, tunnel, arrives, pass } = made = await startNotified()),
  )
  afterEach(() => made.close())
  const states = async (): Promise<string[]> => (await deliveries()).map(({ state }) => state)

  describe('in the form of a receiver', () => {
    const sent = async (body: object) => {
      await add({ events: ['tunnel_state'], ...body })
      await tunnel('Down')
      await arrives(1)
      return receiver.received[0]
    }

    it('json is signed as Standard Webhooks says', async () => {
      const { body } = await add()
      await tunnel('Down')
      await arrives(1)
      const [one] = receiver.received
      assert.equal(one?.headers['webhook-signature'], signatureOf(receiver, body.secret ?? ''))
      const { type, data } = JSON.parse(one?.body ?? '') as { type: string; data: Record<string, unknown> }
      assert.equal(type, 'tunnel_state')
      assert.deepEqual(data['subject'], { type: 'tunnel', id: 1, name: 'gre-a-1' })
      assert.equal(data['message_id'], 'notice.tunnel_problem')
    })

    it('ntfy has the text as its body, and a title that a header can hold', async () => {
      const one = await sent({ kind: 'ntfy', secret: 'tk_1', language: 'ru' })
      assert.match(one?.body ?? '', /Туннель gre-a-1: не работает/)
      const title = /^=\?UTF-8\?B\?(.*)\?=$/.exec(String(one?.headers['title']))?.[1] ?? ''
      assert.match(Buffer.from(title, 'base64').toString(), /: проблема: gre-a-1$/)
      assert.equal(one?.headers['authorization'], 'Bearer tk_1')
      assert.equal(one?.headers['priority'], 'high')
    })

    it('telegram goes to the chat by the bot', async () => {
      const one = await sent({
        kind: 'telegram',
        url: receiver.url.replace('hook', ''),
        secret: '1:abc',
        recipient: '-100',
      })
      assert.equal(one?.path, '/bot1:abc/sendMessage')
      assert.equal((JSON.parse(one?.body ?? '') as { chat_id: string }).chat_id, '-100')
    })

    it('slack cannot be made to show a link or mention a person', async () => {
      await set(operator, { 'display.server_name': '<!channel>' })
      const one = await sent({ kind: 'slack' })
      assert.match((JSON.parse(one?.body ?? '') as { text: string }).text, /&lt;!channel&gt;: problem/)
    })

    it('discord mentions nobody', async () => {
      const one = await sent({ kind: 'discord' })
      const { content, allowed_mentions } = JSON.parse(one?.body ?? '') as { content: string; allowed_mentions: object }
      assert.match(content, /gre-a-1 is down/)
      assert.deepEqual(allowed_mentions, { parse: [] })
    })

    it('email goes through an SMTP server, signed in and to every recipient', async () => {
      const server = await smtpReceiver()
      const body = {
        kind: 'email',
        url: server.url,
        sender: 'panel@a.example',
        recipient: 'me@b.example, you@b.example',
      }
      await add({ ...body, secret: 'pw', username: 'panel', language: 'zh-CN' })
      await tunnel('Down')
      await eventually(() => server.mails.length > 0, 'the mail')
      const [mail] = server.mails
      assert.deepEqual(
        [mail?.from, mail?.to, mail?.auth],
        ['panel@a.example', ['me@b.example', 'you@b.example'], '|panel|pw'],
      )
      const text = Buffer.from(mail?.data.split('\n\n')[1] ?? '', 'base64').toString()
      assert.match(text, /隧道 gre-a-1 已中断/)
      server.close()
    })

    it('email says with which code an SMTP server refused it', async () => {
      const server = await smtpReceiver()
      server.answersMail = '550 No'
      await add({ kind: 'email', url: server.url, sender: 'panel@a.example', recipient: 'me@b.example' })
      const { ok, detail_message } = await test()
      assert.deepEqual(
        [ok, detail_message.message_id, detail_message.params],
        [false, 'notice.status', { status: '550' }],
      )
      server.close()
    })

    for (const [language, words] of [
      ['en', /Tunnel gre-a-1 is down/],
      ['fa', /تونل gre-a-1 قطع است/],
      ['ru', /Туннель gre-a-1: не работает/],
      ['zh-CN', /隧道 gre-a-1 已中断/],
    ] as const)
      it(`is in ${language} where the operator's page is, unless the target says otherwise`, async () => {
        await set(operator, { 'display.language': language })
        assert.match((await sent({ kind: 'ntfy' }))?.body ?? '', words)
      })
  })

  describe('a delivery', () => {
    it('is tried again after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h, and then given up', async () => {
      receiver.behaves = answers(503)
      await add()
      await tunnel('Down')
      for (const [tries, seconds] of [5, 30, 120, 600, 3600, 21_600].entries()) {
        await arrives(tries + 1)
        await rest()
        const early = Math.min(seconds / 2, 20)
        pass(seconds - early)
        await rest()
        assert.equal(receiver.received.length, tries + 1, `not before ${seconds} s`)
        pass(early + 1)
      }
      await arrives(7)
      await rest()
      assert.deepEqual(await states(), ['failed'])
    })

    it('that arrives in the end says since when nothing had arrived, and then nothing', async () => {
      receiver.behaves = answers(503)
      await add()
      await tunnel('Down')
      await arrives(1)
      await rest()
      const view = async () => (await operator.get<WebhookView>('/webhooks/1')).body
      assert.notEqual((await view()).failing_since, null)
      receiver.behaves = answers(200)
      pass(6)
      await arrives(2)
      await rest()
      assert.deepEqual([(await view()).failing_since, (await view()).last_error], [null, ''])
    })

    it('that arrived says when, until its target leads elsewhere', async () => {
      await add()
      const target = (await operator.get<WebhookView>('/webhooks/1')).body
      const view = async () => (await operator.get<WebhookView>('/webhooks/1')).body.delivered_at
      assert.equal(await view(), null)
      assert.equal((await test()).ok, true)
      const arrived = await view()
      assert.notEqual(arrived, null)
      const body = { title: 'Renamed', kind: target.kind, events: target.events }
      assert.equal((await operator.put('/webhooks/1', body)).status, 200)
      assert.equal(await view(), arrived)
      receiver.behaves = answers(503)
      assert.equal((await test()).ok, false)
      assert.equal(await view(), arrived)
      const elsewhere = { ...body, url: `${receiver.url}/other` }
      assert.equal((await operator.put('/webhooks/1', elsewhere)).status, 200)
      assert.equal(await view(), null)
    })

    it('to a receiver that hangs holds up no other', async () => {
      const other = await httpReceiver()
      other.behaves = hangs
      await add({ url: other.url })
      await add()
      await tunnel('Down')
      await arrives(1)
      other.close()
    })

    it('is not made to a target that is off, or that wants other events', async () => {
      await add({ is_enabled: false })
      await add({ events: ['disk'] })
      await tunnel('Down')
      await rest()
      assert.equal(receiver.received.length, 0)
    })

    it('is made once where two targets want it', async () => {
      await add()
      await add()
      await tunnel('Down')
      await arrives(2)
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      assert.equal(new Set(ids).size, 1)
    })
  })

  describe('a problem', () => {
    it('and its end are reported once each', async () => {
      await add()
      await tunnel('Down')
      await tunnel('Down')
      await tunnel('Up')
      await tunnel('Up')
      await arrives(2)
      await rest()
      const severities = (await deliveries()).map(({ severity }) => severity)
      assert.deepEqual(severities, ['resolved', 'problem'])
    })

    /** Both are reported, and the cool-down of 300 s runs. */
    const cameAndWent = async (): Promise<void> => {
      await add({ cool_down_seconds: 300 })
      await tunnel('Down')
      await tunnel('Up')
      await arrives(2)
    }

    it('that comes and goes within the cool-down is reported no second time', async () => {
      await cameAndWent()
      for (let flap = 0; flap < 5; flap += 1) {
        pass(10)
        await tunnel('Down')
        await tunnel('Up')
      }
      pass(600)
      await rest()
      assert.equal(receiver.received.length, 2)
    })

    it('that comes back within the cool-down and stays is reported at its end', async () => {
      await cameAndWent()
      pass(10)
      await tunnel('Down')
      await rest()
      assert.equal(receiver.received.length, 2)
      pass(300)
      await arrives(3)
    })

    it('that stays after it has come and gone many times is reported no later than that', async () => {
      await cameAndWent()
      for (let flap = 0; flap < 5; flap += 1) {
        pass(10)
        await tunnel('Down')
        await tunnel('Up')
      }
      await tunnel('Down')
      await rest()
      assert.equal(receiver.received.length, 2)
      pass(250)
      await arrives(3)
    })

    it('that is published again is reported again after the cool-down, and not before', async () => {
      await add({ cool_down_seconds: 300 })
      await tunnel('Down')
      await arrives(1)
      pass(290)
      await tunnel('Down')
      await rest()
      assert.equal(receiver.received.length, 1)
      pass(11)
      await tunnel('Down')
      await arrives(2)
    })

    it('that was reported while the clock was ahead is reported again at once', async () => {
      await add({ cool_down_seconds: 300 })
      made.panel.clock.set(400 * 86_400)
      await tunnel('Down')
      await tunnel('Up')
      await arrives(2)
      made.panel.clock.set(-400 * 86_400)
      await tunnel('Down')
      await arrives(3)
    })

    it('that could not be sent while the clock was ahead is tried again at once', async () => {
      await add()
      receiver.behaves = answers(503)
      made.panel.clock.set(400 * 86_400)
      await tunnel('Down')
      await eventually(async () => (await deliveries())[0]?.tries === 1, 'the first try')
      receiver.behaves = answers(204)
      made.panel.clock.set(-400 * 86_400)
      pass(0)
      await arrives(2)
    })

    it('that gets worse is reported at once', async () => {
      await add()
      await tunnel('Degraded')
      await tunnel('Down')
      await arrives(2)
    })

    it('of one tunnel says nothing of another', async () => {
      await add()
      await tunnel('Down', 1)
      await tunnel('Down', 2)
      await arrives(2)
    })

    it('that was never reported has no end', async () => {
      await add()
      await tunnel('Up')
      await rest()
      assert.equal(receiver.received.length, 0)
    })
  })
})
