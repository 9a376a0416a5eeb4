// What an administrator does with `tunnel-panel` while both daemons are confined.
import assert from 'node:assert/strict'
import type { ListListenersAnswer, TryListenerAnswer } from '@panel/shared/api/listeners.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { shownBy } from '../../api/support/certificates.ts'
import { Client } from '../../api/support/client.ts'
import { expect, OPERATOR } from '../panel/panel.ts'
import { becomes } from '../eventually.ts'
import { HERE, SLOW, type Installed } from './installed.ts'

const ANOTHER = 'another battery staple'

const listening = async ({ lab }: Installed): Promise<string> =>
  (await lab.run("ss -Hltn 'sport = 8480' | awk '{print $4}'")).trim()

export function opens(panel: Installed): void {
  const listens = (): Promise<string> => listening(panel)

  it('is not opened to others without TLS', async () => {
    const { code, stderr } = await panel.lab.try('tunnel-panel set-listen 0.0.0.0')
    assert.deepEqual([code, /TLS/.test(stderr), await listens()], [1, true, '127.0.0.1:8480'])
  })

  it('is opened to other hosts with a certificate of its own making, whose fingerprint is printed', async () => {
    const { lab } = panel
    const [, fingerprint = ''] =
      /fingerprint\D*: ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})/.exec(
        await lab.run(`tunnel-panel make-certificate lab.example ${HERE}`, SLOW),
      ) ?? []
    assert.match(
      await lab.run('tunnel-panel set-listen 0.0.0.0', SLOW),
      new RegExp(`^https://\\S+:8480/${await panel.webPath()}/$`, 'm'),
    )
    assert.equal(await listens(), '0.0.0.0:8480')
    await panel.reach('https')
    assert.equal(await shownBy(panel.operator.base), fingerprint)
  })

  it('goes on where it listened if it cannot listen where it is configured to', async () => {
    const { code, stderr } = await panel.lab.try('tunnel-panel set-listen 192.0.2.77', SLOW)
    assert.deepEqual([code, /listens where it did before/.test(stderr), await listens()], [1, true, '0.0.0.0:8480'])
  })
}

export function isAdministered(panel: Installed): void {
  const listens = (): Promise<string> => listening(panel)

  /** What root says to a relay rule on a port, whatever the web daemon would. */
  const askForRule = async (port: number): Promise<string> => {
    const after = [exampleRule({ route_rule_id: 77, bind_address: '0.0.0.0', bind_port: port })]
    const { stdout, stderr } = await panel.lab.try(
      `tunnel-panel rpc ruleset.apply '${JSON.stringify({ before: null, after })}'`,
      SLOW,
    )
    return stdout + stderr
  }

  it('lets no rule take the ports of sshd, known by its unit alone, and of the panel, for any client of root', async () => {
    const { lab } = panel
    const listen = 'require("node:net").createServer().listen(2222)'
    await lab.run(`systemd-run --quiet --unit=ssh.service node -e '${listen}'`)
    await becomes(
      () => lab.run('ss -Hltn'),
      (listening) => listening.includes(':2222 '),
    )
    assert.match(await askForRule(2222), /Port 2222 is protected by sshd/)
    assert.match(await askForRule(8480), /Port 8480 is protected by panel/)
    await lab.run('systemctl stop ssh.service')
  })

  it('keeps another listener over a restart in its sandbox, until set-listen takes it back', async () => {
    const { lab, operator } = panel
    const { listener } = expect(
      await operator.post<TryListenerAnswer>('/system/listeners', {
        address: HERE,
        port: 8490,
        tls: null,
        seconds: 600,
      }),
      201,
    )
    const there = new Client(`${await lab.url(8490)}/${await panel.webPath()}/`)
    for (const [name, value] of operator.cookies) there.cookies.set(name, value)
    expect(await there.post(`/system/listeners/${listener.listener_id}/keep`), 200)
    await becomes(listens, (where) => where === '')
    await lab.run('systemctl restart tunnel-panel-web', SLOW)
    assert.match(await lab.run("ss -Hltn 'sport = 8490'"), new RegExp(` ${HERE}:8490 `))
    assert.match(
      await lab.run('tunnel-panel url', SLOW),
      new RegExp(`^http://${HERE}:8490/${await panel.webPath()}/$`, 'm'),
    )
    assert.match(await askForRule(8490), /Port 8490 is protected by panel/)
    assert.match(await panel.isWell(), /listener +ok/)
    assert.match(await lab.run('tunnel-panel set-listen 0.0.0.0', SLOW), /^https:/m)
    assert.equal(await listens(), '0.0.0.0:8480')
    assert.deepEqual(expect(await operator.get<ListListenersAnswer>('/system/listeners'), 200).listeners.length, 1)
  })

  it('tells an administrator how it is, where to open it, and what the helper answers', async () => {
    const { lab } = panel
    assert.match(
      await panel.isWell(),
      /^tunnel-panel-helper +active\ntunnel-panel-web +active\nHealth of the panel: ok$/m,
    )
    assert.match(await lab.run('tunnel-panel url'), new RegExp(`^https://\\S+:8480/${await panel.webPath()}/$`, 'm'))
    assert.match(await lab.run('tunnel-panel rpc host.probe \'{"parts":["helper"]}\'', SLOW), /"version": "0\.1\.0"/)
    const refused = await lab.try('tunnel-panel rpc tunnel.explode', SLOW)
    assert.deepEqual([refused.code, /There is no such method/.test(refused.stderr)], [1, true])
  })

  it('refuses changes while the journal of the helper is damaged, until an administrator sets that aside', async () => {
    const { lab } = panel
    await lab.run(
      'printf garbage > /var/lib/tunnel-panel-helper/change-under-way.json && systemctl restart tunnel-panel-helper',
      SLOW,
    )
    const refused = await panel.operator.post('/routes/apply-all')
    assert.deepEqual([refused.status, refused.error.details['reason']], [503, 'state_unusable'])
    const { stdout } = await lab.try('tunnel-panel status', SLOW)
    const [, advice = ''] = /^ +helper +error .*"sudo (tunnel-panel set-aside [a-z.-]+)"/m.exec(stdout) ?? []
    assert.match(await lab.run(advice, SLOW), /the helper is restarted/)
    expect(await panel.operator.post('/routes/apply-all'), 200)
    await panel.isWell()
  })

  it('gives the operator another password from the command, which ends every session', async () => {
    assert.match(
      await panel.lab.run('tunnel-panel reset-password', { ...SLOW, stdin: `${ANOTHER}\n` }),
      /all sessions have ended/,
    )
    assert.equal((await panel.operator.get('/auth/me')).status, 401)
    assert.equal((await panel.operator.post('/auth/login', OPERATOR)).status, 401)
    panel.password = ANOTHER
    await panel.signIn()
  })
}
