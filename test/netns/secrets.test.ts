// One run of both daemons that uses every kind of secret, and one search for all of them in every place where a run
// leaves something (reference.md, Audit entry; decisions.md, U4, U5, N6).
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { BUNDLE } from '../../packaging/build/build.ts'
import { HELPER_FLAGS } from '../../packaging/run/node-flags.ts'
import { Client } from '../api/support/client.ts'
import { startDaemonIn, type DaemonProcess } from '../api/support/daemon-on-disk.ts'
import { Clock, OPERATOR } from '../api/support/panel.ts'
import { answers, httpReceiver, type HttpReceiver } from '../api/support/receivers.ts'
import { set } from '../api/support/settings.ts'
import { mailServer, type TlsReceiver } from '../api/support/tls-receivers.ts'
import { makeSelfSigned } from '@panel/web-daemon/platform/tls/self-signed.ts'
import { codeOf } from '../api/support/factor.ts'
import { ProgramTrace } from '../support/program-trace.ts'
import { tunnelRequest } from '../support/records.ts'

const CHOSEN = {
  'new password': 'a-new-password-of-the-run',
  'wrong password': 'a-wrong-password-of-the-run',
  'webhook secret': `whsec_${Buffer.from('a webhook secret of the run').toString('base64')}`,
  'token in a webhook URL': 'T00-url-token-of-the-run',
  'bot token': '77:bot-token-of-the-run',
  'SMTP password': 'smtp-password-of-the-run',
}

describe('A run of both daemons with every kind of secret', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-all-secrets-'))
  const socket = join(folder, 'helper.sock')
  const secrets = new Map<string, string>(Object.entries({ password: OPERATOR.password, ...CHOSEN }))
  const places = new Map<string, string>()
  let helperLog = ''
  let trace: ProgramTrace
  let helper: ChildProcess
  let daemon: DaemonProcess
  let receiver: HttpReceiver
  let mail: TlsReceiver
  let operator: Client

  const remember = (what: string, client: Client): void => {
    for (const [name, value] of client.cookies) secrets.set(`cookie ${name} ${what}`, value)
  }

  before(async () => {
    const state = Object.fromEntries(
      ['UNIT', 'NETWORKD', 'SYSCTL', 'HELPER_STATE'].map((name) => [`PANEL_${name}_DIR`, join(folder, name)]),
    )
    trace = await ProgramTrace.start(process.pid, join(folder, 'trace'))
    helper = spawn('unshare', ['--net', process.execPath, ...HELPER_FLAGS, join(BUNDLE, 'helper.cjs')], {
      env: { PATH: process.env['PATH'], PANEL_HELPER_SOCKET: socket, ...state },
    })
    for (const stream of [helper.stdout, helper.stderr]) stream?.on('data', (chunk) => (helperLog += String(chunk)))
    await eventually(() => existsSync(socket), 'the helper')
    const web = join(folder, 'web')
    daemon = await startDaemonIn(web, { PANEL_HELPER_SOCKET: socket })
    receiver = await httpReceiver()
    makeSelfSigned(folder, ['127.0.0.1'])
    mail = await mailServer(folder, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true })
    operator = new Client(daemon.base)
    await useEverything()
    await collect()
  })
  after(async () => {
    await daemon.stop()
    helper.kill('SIGKILL')
    receiver.close()
    mail.close()
    rmSync(folder, { recursive: true })
  })

  async function useEverything(): Promise<void> {
    assert.equal((await operator.post('/auth/setup', OPERATOR)).status, 201)
    remember('of the first session', operator)
    await set(operator, { 'webhooks.allow_private': true, 'metrics.prometheus_enabled': true })
    await new Client(daemon.base).post('/auth/login', { ...OPERATOR, password: CHOSEN['wrong password'] })
    await operator.post('/auth/refresh')
    remember('after a refresh', operator)
    const passwords = { current_password: OPERATOR.password, new_password: CHOSEN['new password'] }
    assert.equal((await operator.put('/auth/me', passwords)).status, 200)
    remember('after a change', operator)
    await useSecondFactor()
    await useTargets()
    await failDeliveries()
    await useToken()
    await operator.post('/tunnels', tunnelRequest())
    // Without a rule there is nothing that nft need be started for.
    const rule = { bind_port: 4001, destination_address: '10.9.0.2', destination_port: 80 }
    const { status, text } = await operator.post('/routes', rule)
    assert.equal(status, 201, text)
    await operator.get('/system/interfaces')
  }

  async function useSecondFactor(): Promise<void> {
    const requests = { current_password: CHOSEN['new password'] }
    const { secret, uri } = (await operator.post<{ secret: string; uri: string }>('/auth/me/totp', requests)).body
    const code = codeOf({ clock: new Clock() }, secret)
    const { body } = await operator.post<{ recovery_codes: string[] }>('/auth/me/totp/confirm', { code })
    secrets.set('TOTP secret', secret).set('TOTP address', uri)
    for (const [at, one] of body.recovery_codes.entries()) secrets.set(`recovery code ${at}`, one)
    const [recovery = ''] = body.recovery_codes
    const visitor = new Client(daemon.base)
    const signIn = { ...OPERATOR, password: CHOSEN['new password'], code: recovery }
    assert.equal((await visitor.post('/auth/login', signIn)).status, 200)
    remember('of a sign-in with a recovery code', visitor)
    operator = visitor
  }

  async function useTargets(): Promise<void> {
    const url = `http://127.0.0.1:${receiver.port}/`
    const json = { kind: 'json', url: `${url}${CHOSEN['token in a webhook URL']}`, secret: CHOSEN['webhook secret'] }
    const people = { sender: 'panel@a.example', recipient: 'me@b.example', username: 'panel' }
    const smtp = { kind: 'email', url: `smtp://127.0.0.1:${mail.port}`, ...people, secret: CHOSEN['SMTP password'] }
    const telegram = { kind: 'telegram', url, secret: CHOSEN['bot token'], recipient: '-1' }
    for (const [at, target] of [json, smtp, telegram].entries()) {
      const { status, text } = await operator.post('/webhooks', { title: 'a', events: ['sign_in_failed'], ...target })
      assert.equal(status, 201, text)
      const sent = await operator.post<{ ok: boolean }>(`/webhooks/${at + 1}/test`)
      assert.ok(sent.body.ok, sent.text)
    }
    assert.ok(mail.received.includes(`password ${CHOSEN['SMTP password']}`))
    assert.equal(receiver.received[1]?.path, `/bot${CHOSEN['bot token']}/sendMessage`)
  }

  /** What went wrong is logged and listed with its reason. */
  async function failDeliveries(): Promise<void> {
    await set(operator, { 'webhooks.sign_in_failures': 1 })
    receiver.behaves = answers(500)
    const refused = { ...OPERATOR, password: CHOSEN['wrong password'] }
    await new Client(daemon.base).post('/auth/login', refused)
    const deliveries = async (): Promise<string> => (await operator.get('/webhooks/1/deliveries')).text
    await eventually(async () => (await deliveries()).includes('notice.status'), 'the reason is listed')
  }

  /** In a request, at /metrics, and by the command line. */
  async function useToken(): Promise<void> {
    const { text } = (await operator.post<{ text: string }>('/auth/tokens', { title: 'a', scopes: ['*'] })).body
    secrets.set('API token', text).set('API token without its id', text.slice(12))
    const headers = { Authorization: `Bearer ${text}` }
    const answer = await fetch(`${new URL(daemon.base).origin}/metrics`, { headers })
    assert.equal(answer.status, 200)
    places.set('/metrics', await answer.text())
    const file = join(folder, 'token')
    writeFileSync(file, text, { mode: 0o600 })
    const args = ['tunnels', 'list', '--url', new URL(daemon.base).origin, '--token-file', file]
    const child = spawn(process.execPath, [join(BUNDLE, 'tunnel-panel.cjs'), ...args], { env: {} })
    assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0)
    writeFileSync(file, '')
  }

  async function collect(): Promise<void> {
    const text = async (path: string): Promise<string> => {
      const { status, text: answer } = await operator.get(path)
      assert.equal(status, 200, `${path}: ${answer}`)
      return answer
    }
    places.set('the audit log', await text('/audit?limit=1000'))
    places.set('the backup', await text('/backup/export'))
    for (const file of ['panel.db', 'panel.db-wal']) places.set(file, readFileSync(join(folder, 'web', file), 'latin1'))
    places.set('targets of notifications', await text('/webhooks'))
    for (const id of [1, 2, 3]) places.set(`deliveries of ${id}`, await text(`/webhooks/${id}/deliveries`))
    const programs = await trace.stop()
    places.set('arguments of programs', programs.map((program) => program.arguments).join('\n'))
    places.set('environments of programs', programs.map((program) => program.environment).join('\n'))
    places.set('the log of the web daemon', daemon.log())
    places.set('the log of the helper', helperLog)
  }

  it('leaves something in each of the places', () => {
    assert.ok(secrets.size > 25, [...secrets.keys()].join())
    for (const [place, held] of places) assert.ok(held.length > 20, `${place}: ${held}`)
    assert.match(places.get('the audit log') ?? '', /WebhookCreate/)
    assert.match(places.get('deliveries of 1') ?? '', /notice\.status/)
    assert.match(places.get('the log of the helper') ?? '', /listening/)
    for (const program of ['helper.cjs', 'tunnel-panel.cjs', '"/usr/sbin/nft", "-j"'])
      assert.ok(places.get('arguments of programs')?.includes(program), program)
  })

  it('leaves no secret in any of them, as it is or encoded', () => {
    const found: string[] = []
    for (const [what, secret] of secrets)
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
        for (const [place, held] of places) if (held.includes(form)) found.push(`${place}: ${what}`)
    assert.deepEqual([...new Set(found)], [])
  })
})
