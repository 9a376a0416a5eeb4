// What the store must give back and nobody else may read: secrets of notification targets and the key of a kept
// listener are in it only sealed (decisions.md, N6, Y11).
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestWebhookAnswer, WebhookView } from '@panel/shared/api/webhooks.ts'
import type { HealthAnswer } from '@panel/shared/api/system.ts'
import { quietly } from '../support/quietly.ts'
import { Certificates, filesIn, fingerprintIn, shownBy } from './support/certificates.ts'
import { Client } from './support/client.ts'
import { startDaemonIn } from './support/daemon-on-disk.ts'
import { listed, through, tryListener } from './support/listeners.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { httpReceiver, type HttpReceiver } from './support/receivers.ts'
import { set } from './support/settings.ts'
import { codesOf } from './support/tunnels.ts'
import { HOOK, signatureOf } from './support/webhooks.ts'

/** No other byte of a store is like these. */
const MARK = 'only-the-receiver-knows'
const SIGNED = `whsec_${Buffer.from(`${MARK} how to sign it`).toString('base64')}`
const MAIL = { kind: 'email', sender: 'panel@example.net', recipient: 'me@example.net' }
const TARGETS: readonly Readonly<Record<string, string>>[] = [
  { kind: 'json', url: `https://hooks.example.net/${MARK}/1`, secret: SIGNED },
  { ...MAIL, url: 'smtp://mail.example.net:587', username: 'me', secret: `${MARK}/2` },
  { kind: 'ntfy', url: `https://ntfy.example.net/${MARK}/3`, secret: `${MARK}/4` },
  { kind: 'telegram', recipient: '42', secret: `77:${MARK}/5` },
  { kind: 'slack', url: `https://hooks.slack.example.net/${MARK}/6` },
  { kind: 'discord', url: `https://discord.example.net/${MARK}/7` },
]

describe('The secrets in a store', () => {
  quietly()
  const certificates = new Certificates()
  const place = certificates.make('kept')
  const tls = { cert: readFileSync(filesIn(place).cert, 'utf8'), key: readFileSync(filesIn(place).key, 'utf8') }
  const signing_key = createSecretKey(randomBytes(32))
  const panels: TestPanel[] = []
  let folder: string
  let receiver: HttpReceiver
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-sealed-'))
    receiver = await httpReceiver()
  })
  afterEach(async () => {
    for (const panel of panels.splice(0)) await panel.close()
    receiver.close()
    rmSync(folder, { recursive: true })
  })
  after(() => certificates.remove())

  const started = async (key: KeyObject = signing_key): Promise<TestPanel> => {
    const panel = await startPanel({ store: join(folder, 'panel.db'), signing_key: key })
    panels.push(panel)
    return panel
  }
  const stopped = async (): Promise<void> => panels.pop()?.close()
  const add = async (client: Client, target: object): Promise<void> => {
    const { status, text } = await client.post('/webhooks', { ...HOOK, ...target })
    assert.equal(status, 201, text)
  }
  const keepListener = async (client: Client): Promise<Client> => {
    const { body, text } = await tryListener(client, { address: '127.0.0.2', tls })
    const there = through(client, body.listener)
    const kept = await there.post(`/system/listeners/${body.listener.listener_id}/keep`)
    assert.equal(kept.status, 200, text)
    return there
  }
  const leaks = (held: string): string[] =>
    [
      MARK,
      SIGNED.slice(6),
      Buffer.from(MARK).toString('hex'),
      ...tls.key.split('\n').filter((line) => line.length > 40),
    ].filter((secret) => held.includes(secret))
  const filesHolding = (): string[] =>
    readdirSync(folder).filter((name) => leaks(readFileSync(join(folder, name), 'latin1')).length > 0)

  it('are in no file of it, whatever was made, replaced and removed, and in no line of the log', async () => {
    const panel = await started()
    const operator = await panel.setUp()
    for (const target of TARGETS) await add(operator, target)
    for (const [at, target] of TARGETS.entries()) {
      const replaced = { ...HOOK, ...target, ...(target['url'] && { url: `${target['url']}/${MARK}` }) }
      const { status, text } = await operator.put(`/webhooks/${at + 1}`, replaced)
      assert.equal(status, 200, text)
    }
    const there = await keepListener(operator)
    assert.equal((await there.delete('/webhooks/1')).status, 200)
    assert.ok(readdirSync(folder).includes('panel.db-wal'))
    assert.deepEqual(filesHolding(), [])
    await stopped()
    assert.deepEqual(filesHolding(), [])
    assert.deepEqual(leaks(panel.log.join('')), [])
  })

  it('are read again after a restart: a target signs with its own, and a kept listener shows its certificate', async () => {
    const operator = await (await started()).setUp()
    await set(operator, { 'webhooks.allow_private': true })
    await add(operator, { url: receiver.url, secret: SIGNED })
    await keepListener(operator)
    await stopped()
    const panel = await started()
    assert.equal(await shownBy(panel.base), fingerprintIn(place))
    const again = await panel.signIn()
    assert.equal((await again.post<TestWebhookAnswer>('/webhooks/1/test')).body.ok, true)
    assert.equal(receiver.received[0]?.headers['webhook-signature'], signatureOf(receiver, SIGNED))
  })

  describe('of another signing key', () => {
    const unreadable = /stored under another signing key/
    const other = createSecretKey(randomBytes(32))
    let panel: TestPanel
    let operator: Client
    beforeEach(async () => {
      const first = await (await started()).setUp()
      await set(first, { 'webhooks.allow_private': true })
      for (const target of TARGETS) await add(first, target)
      await keepListener(first)
      await stopped()
      panel = await started(other)
      operator = await panel.signIn()
    })

    it('are reported as lost: each target stays, is sent nothing, and says why', async () => {
      const { webhooks } = (await operator.get<{ webhooks: WebhookView[] }>('/webhooks')).body
      assert.deepEqual(
        webhooks.map(({ kind, is_readable }) => [kind, is_readable]),
        TARGETS.map(({ kind }) => [kind, false]),
      )
      assert.deepEqual(
        webhooks.map(({ address }) => address),
        TARGETS.map(({ url = 'https://api.telegram.org/' }) => url.split('/').slice(0, 3).join('/')),
      )
      for (const { webhook_id } of webhooks) {
        const { body } = await operator.post<TestWebhookAnswer>(`/webhooks/${webhook_id}/test`)
        assert.equal(body.ok, false)
        assert.match(body.detail, unreadable)
      }
      assert.match((await operator.get<WebhookView>('/webhooks/1')).body.last_error, unreadable)
    })

    it('have to be given again, each of them and no other field, and are good from then on', async () => {
      for (const [at, { secret, url, ...rest }] of TARGETS.entries()) {
        const send = (more: object) => operator.put(`/webhooks/${at + 1}`, { ...HOOK, ...rest, ...more })
        const given = { ...(url && { url }), ...(secret && { secret }) }
        const before = await panel.db.selectFrom('webhook').selectAll().execute()
        const refused = await send({})
        assert.deepEqual([refused.status, Object.keys(codesOf(refused))], [422, Object.keys(given)])
        assert.match(refused.error.message, unreadable)
        assert.deepEqual(await panel.db.selectFrom('webhook').selectAll().execute(), before)
        assert.equal((await send(given)).status, 200)
        assert.equal((await send({})).status, 200, 'what was given again stays')
      }
      const changed = { ...HOOK, kind: 'ntfy', url: receiver.url, secret: 'again' }
      assert.equal((await operator.put('/webhooks/3', changed)).status, 200)
      assert.equal((await operator.post<TestWebhookAnswer>('/webhooks/3/test')).body.ok, true)
      assert.equal(receiver.received[0]?.headers['authorization'], 'Bearer again')
    })

    it('leave the panel at its configured listener, and health says what to do, which works', async () => {
      assert.match(panel.base, /^http:\/\/127\.0\.0\.1:/)
      const health = async (client: Client) =>
        (await client.get<HealthAnswer>('/system/health')).body.components.find(({ name }) => name === 'listener')
      const { status, detail, detail_message } = (await health(operator)) ?? {}
      assert.deepEqual([status, detail_message?.message_id], ['degraded', 'listener.key_unreadable_stored'])
      assert.match(detail ?? '', /127\.0\.0\.2 port \d+.*another signing key.*certificate and its key again/)
      assert.equal((await listed(operator))[1]?.errno, 'unreadable key')
      assert.match(panel.log.join(''), /"errno":"unreadable key".*where the operator has kept it/)
      const there = await keepListener(operator)
      assert.equal(await shownBy(there.base), fingerprintIn(place))
      assert.equal((await health(there))?.status, 'ok')
    })

    it('which is another one since its file was lost, are lost too, and the daemon starts', async () => {
      await stopped()
      const first = await startDaemonIn(folder)
      const client = new Client(first.base)
      assert.equal((await client.post('/auth/login', OPERATOR)).status, 200, first.log())
      assert.equal((await client.get<WebhookView>('/webhooks/1')).body.is_readable, false)
      await first.stop()
      assert.deepEqual(leaks(first.log()), [])
    })
  })

  it('are damaged where a part of them is missing, which is no reason to fail', async () => {
    const panel = await started()
    const operator = await panel.setUp()
    for (const target of TARGETS) await add(operator, target)
    for (const [at, length] of [0, 11, 12, 27, 28, 40].entries())
      await panel.db
        .updateTable('webhook')
        .set({ sealed: Buffer.alloc(length) })
        .where('webhook_id', '=', at + 1)
        .execute()
    const { webhooks } = (await operator.get<{ webhooks: WebhookView[] }>('/webhooks')).body
    assert.ok(webhooks.every(({ is_readable }) => !is_readable))
  })
})
