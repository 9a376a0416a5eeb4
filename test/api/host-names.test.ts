// A name that leads here without anybody's leave shows nothing (reference.md, Addressing 8; decisions.md, W24).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownNames } from '@panel/web-daemon/platform/http/host-names.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { exchange } from './support/wire.ts'

const PROXY = '127.0.7.1'

describe('The name by which the panel is reached', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ host_names: ['panel.example'], trusted_proxies: [PROXY], web_path: 'hidden' })
    operator = await panel.setUp()
    await operator.put('/settings', { 'security.allowed_origins': ['https://other.example:8443'] })
  })
  after(() => panel.close())

  const status = async (Host: string, path = '/api/v1/system/health'): Promise<number> =>
    (await panel.visitor().raw('GET', `/hidden${path}`, undefined, { headers: { Host } })).status

  it('is refused where nobody named it, for the page as for the API, and the refusal says what to do', async () => {
    for (const path of ['/', '/tunnels', '/api/v1/system/health', '/api/v1/nothing'])
      for (const host of ['evil.example', 'evil.example:8480', 'panel.example.evil.example', '127.0.0.1.evil.example'])
        assert.equal(await status(host, path), 403, `${host} ${path}`)
    const { error } = await panel.visitor().post('/auth/login', OPERATOR, { headers: { Host: 'evil.example' } })
    assert.deepEqual([error.code, error.details], ['HOST_NOT_ALLOWED', { option: 'PANEL_HOST_NAMES' }])
    assert.match(error.message, /evil\.example.*PANEL_HOST_NAMES.*restart.*address of the server/)
    assert.equal((await operator.get('/tunnels', { headers: { Host: 'evil.example' } })).status, 403)
  })

  it('is checked before there is an account, so that no page elsewhere can create it', async () => {
    const first = await startPanel()
    const setUp = (headers: Record<string, string>) => first.visitor().post('/auth/setup', OPERATOR, { headers })
    for (const headers of [
      { Host: 'evil.example' },
      { Host: 'evil.example', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-origin' },
      { Host: 'Evil.Example.:8480' },
      { Host: 'evil.example', 'X-Forwarded-Host': 'localhost', 'X-Forwarded-Proto': 'https' },
    ]) {
      const { status: answered, error } = await setUp(headers)
      assert.deepEqual([answered, error.code], [403, 'HOST_NOT_ALLOWED'], JSON.stringify(headers))
      assert.equal((await first.visitor().raw('GET', '/', undefined, { headers })).status, 403)
    }
    assert.equal((await setUp({ Host: 'localhost:8480', 'X-Forwarded-Host': 'evil.example' })).status, 201)
    await first.close()
  })

  it('is the one in the request target too, and one alone in the header', async () => {
    const answered = async (target: string, ...hosts: string[]): Promise<number | undefined> => {
      const fields = hosts.map((host) => `Host: ${host}\r\n`).join('')
      const request = `GET ${target} HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`
      return (await exchange(panel.base, request)).statuses[0]
    }
    const path = '/hidden/api/v1/system/health'
    assert.equal(await answered(`http://panel.example:8480${path}`, 'localhost'), 200)
    assert.equal(await answered(`http://evil.example${path}`, 'localhost'), 403)
    assert.equal(await answered(`http://localhost${path}`, 'evil.example'), 403)
    assert.equal(await answered(`http://panel.example@evil.example${path}`, 'localhost'), 403)
    assert.equal(await answered(path, 'localhost', 'evil.example'), 400)
    assert.equal(await answered(path, 'evil.example', 'localhost'), 400)
    assert.equal(await answered(path, 'localhost', 'localhost'), 400)
  })

  it('may be any address, loopback, the host itself, or what the operator named', async () => {
    for (const host of [
      '127.0.0.1:8480',
      '203.0.113.9',
      '[::1]:8480',
      '[2001:db8::1]',
      'localhost',
      'LOCALHOST:1',
      'panel.localhost',
      hostname(),
      'panel.example',
      'Panel.Example.:8480',
      'other.example',
    ])
      assert.equal(await status(host), 200, host)
  })

  it('may be any over TLS, where the browser has compared it with the certificate', async () => {
    const getFrom = (from: string): Promise<{ status: number }> =>
      panel.visitor().get('/system/health', { from, headers: { Host: 'front.example', 'X-Forwarded-Proto': 'https' } })
    assert.deepEqual([(await getFrom(PROXY)).status, (await getFrom('127.0.0.1')).status], [200, 403])
  })

  it('need not be there for a program of the old protocol', async () => {
    const { statuses } = await exchange(panel.base, 'GET /hidden/api/v1/system/health HTTP/1.0\r\n\r\n')
    assert.deepEqual(statuses, [200])
  })

  it('outside the web path leads to the bare 404, whatever it is', async () => {
    const { status: answered, text } = await panel
      .visitor()
      .raw('GET', '/', undefined, { headers: { Host: 'evil.example' } })
    assert.deepEqual([answered, text], [404, ''])
  })

  it('is known from the hosts file too', () => {
    const directory = mkdtempSync(join(tmpdir(), 'panel-hosts-'))
    writeFileSync(join(directory, 'hosts'), '# a comment\n127.0.1.1\tserver.lan server # here\n\n::1 ip6-localhost\n')
    assert.deepEqual(ownNames(join(directory, 'hosts')), [hostname(), 'server.lan', 'server', 'ip6-localhost'])
    assert.deepEqual(ownNames(join(directory, 'none')), [hostname()])
    rmSync(directory, { recursive: true })
  })
})
