// API tokens (reference.md, API tokens; decisions.md, A15): what each scope opens, and that nothing else about a token
// lets anybody in.
import assert from 'node:assert/strict'
import type { AccountAnswer } from '@panel/shared/api/auth.ts'
import { SCOPES } from '@panel/shared/api/scopes.ts'
import type { Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { scopesOf } from '@panel/web-daemon/platform/http/scopes.ts'
import type { Client, Reply, Sending } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

interface Created {
  token: {
    token_id: number
    prefix: string
    last_used_date: string | null
    last_used_ip: string
    is_expired: boolean
    expires_date: string | null
  }
  text: string
}

describe('An API token', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  let made = 0
  const create = async (scopes: readonly string[], more: object = {}): Promise<Created> => {
    const reply = await operator.post<Created>('/auth/tokens', { title: `token ${(made += 1)}`, scopes, ...more })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
  const bearing = (text: string): Sending => ({ headers: { Authorization: `Bearer ${text}` } })
  const target = ({ route }: Endpoint): [string, string] => {
    const [method = '', path = ''] = route.replaceAll(/\{\w+\}/g, '9999').split(' ')
    return [method, path]
  }
  /** A body that no endpoint takes, so that nothing is done where it is let in. */
  const ask = (endpoint: Endpoint, text: string): Promise<Reply> => {
    const [method, path] = target(endpoint)
    return panel.visitor().api(method, path, method === 'GET' ? undefined : { nonsense: 1 }, bearing(text))
  }
  const isClosed = ({ guards, tag }: Endpoint): boolean => guards?.session !== false || tag === 'auth'

  it('has a text that names it and is answered once, of which the store holds a hash alone', async () => {
    const { text, token } = await create(['read'])
    assert.match(text, /^tp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/)
    assert.ok(text.startsWith(`${token.prefix}_`))
    assert.ok(!(await operator.get('/auth/tokens')).text.includes(text.slice(12)))
    const row = await panel.db.selectFrom('api_token').selectAll().executeTakeFirstOrThrow()
    assert.ok(!JSON.stringify(row).includes(text.slice(12)))
  })

  it('needs no cookie and no CSRF token', async () => {
    const { text } = await create(['settings'])
    const client = panel.visitor()
    const { status } = await client.put('/settings', { 'display.theme': 'dark' }, bearing(text))
    assert.deepEqual([status, client.cookies.size], [200, 0])
  })

  it('together with the cookies of a session is a 400', async () => {
    const { text } = await create(['*'])
    for (const method of ['GET', 'PUT']) {
      const { status, error } = await operator.api(
        method,
        '/settings',
        method === 'GET' ? undefined : {},
        bearing(text),
      )
      assert.deepEqual([status, error.code], [400, 'INVALID_REQUEST'])
    }
  })

  for (const scope of SCOPES) {
    it(`with the scope ${scope} alone is refused by 403 wherever that is not enough, and nowhere else`, async () => {
      const { text } = await create([scope])
      const wrong: string[] = []
      for (const endpoint of panel.endpoints.filter(isClosed)) {
        // A stream that is let in does not end.
        if (endpoint.kind === 'stream' && scopesOf(endpoint).includes(scope)) continue
        const { status, text: body } = await ask(endpoint, text)
        const isRefused = status === 403 && body.includes('SCOPE_MISSING')
        if (isRefused === scopesOf(endpoint).includes(scope)) wrong.push(`${endpoint.route}: ${status}`)
        if (status === 401) wrong.push(`${endpoint.route}: 401`)
      }
      assert.deepEqual(wrong, [])
    })
  }

  it('finds a scope at every endpoint but those of the sign-in, which none opens', () => {
    for (const endpoint of panel.endpoints)
      assert.equal(scopesOf(endpoint).length > 0, endpoint.tag !== 'auth', endpoint.route)
  })

  it('of the scope settings alone changes neither notifications nor where the panel listens', async () => {
    const { text } = await create(['settings'])
    const closed = panel.endpoints.filter(
      ({ tag, route }) => tag === 'webhooks' || /^\w+ \/system\/listeners/.test(route),
    )
    assert.ok(closed.length >= 11, String(closed.length))
    for (const endpoint of closed) {
      const { status, error } = await ask(endpoint, text)
      assert.deepEqual([status, error.code], [403, 'SCOPE_MISSING'], endpoint.route)
      assert.ok(
        (error.details['scopes'] as string[]).includes(endpoint.tag === 'webhooks' ? 'notifications' : 'access'),
      )
    }
  })

  it('that may read may not read a backup', async () => {
    const { text } = await create(['read'])
    assert.equal((await panel.visitor().get('/backup/export', bearing(text))).status, 403)
  })

  it('is not one that is unknown, nearly right, revoked or expired', async () => {
    const { text, token } = await create(['read'], {
      expires_date: new Date(panel.clock.now().getTime() + 60_000).toISOString(),
    })
    const status = async (one: string): Promise<number> => (await panel.visitor().get('/settings', bearing(one))).status
    assert.equal(await status(text), 200)
    const last = text.endsWith('a') ? 'b' : 'a'
    for (const one of ['x', 'tp_', `${text.slice(0, -1)}${last}`, `${text}a`, `tp_aaaaaaaa_${'a'.repeat(43)}`])
      assert.equal(await status(one), 401, one)
    panel.clock.advance(61)
    assert.equal(await status(text), 401)
    const other = await create(['read'])
    assert.equal((await operator.delete(`/auth/tokens/${other.token.token_id}`)).status, 200)
    assert.equal(await status(other.text), 401)
    assert.equal((await operator.delete(`/auth/tokens/${token.token_id}`)).status, 200)
  })

  it('lasts 90 days unless the request says otherwise, and for ever only if it says so', async () => {
    const [usual, endless] = [await create(['read']), await create(['read'], { expires_date: null })]
    const days = (Date.parse(usual.token.expires_date ?? '') - panel.clock.now().getTime()) / 86_400_000
    assert.ok(days > 89.9 && days <= 90, String(days))
    assert.equal(endless.token.expires_date, null)
    panel.clock.advance(90 * 86_400)
    const status = async ({ text }: Created) => (await panel.visitor().get('/settings', bearing(text))).status
    assert.deepEqual([await status(usual), await status(endless)], [401, 200])
  })

  it('ends with the password, and is named in the answer and in the audit log, unless it is to be kept', async () => {
    const one = await create(['read'], { title: 'Terraform' })
    const other = await create(['*'], { title: 'Ansible', expires_date: null })
    const status = async ({ text }: Created) => (await panel.visitor().get('/settings', bearing(text))).status
    const change = (current_password: string, more: object) =>
      operator.put<AccountAnswer>('/auth/me', { current_password, ...more })
    const [first, second] = ['a first new password', 'a second new password']
    const renamed = await change(OPERATOR.password, { username: 'somebody' })
    assert.deepEqual([renamed.status, renamed.body.ended_tokens], [200, []])
    const kept = await change(OPERATOR.password, { new_password: first, keep_tokens: true })
    assert.deepEqual([kept.status, kept.body.ended_tokens], [200, []])
    assert.equal((await change('wrong wrong wrong', { new_password: second })).status, 401)
    assert.deepEqual([await status(one), await status(other)], [200, 200])
    const ended = await change(first, { new_password: second })
    assert.deepEqual(
      ended.body.ended_tokens.map(({ title }) => title),
      ['Terraform', 'Ansible'],
    )
    assert.deepEqual([await status(one), await status(other)], [401, 401])
    assert.deepEqual((await operator.get('/auth/tokens')).body['tokens'], [])
    assert.match((await operator.get('/audit?limit=1&action=PasswordChange')).text, /Token Terraform ended/)
  })

  it('takes its streams with it when it is revoked', async () => {
    const { text, token } = await create(['monitor'])
    const stream = await fetch(`${panel.base}api/v1/monitor/stream`, { headers: { Authorization: `Bearer ${text}` } })
    assert.equal(stream.status, 200)
    await operator.delete(`/auth/tokens/${token.token_id}`)
    await stream.text().catch(() => undefined)
  })

  it('is refused from a network that it is not for', async () => {
    const { text } = await create(['read'], { allowed_networks: ['127.0.40.0/24', '2001:db8::/32'] })
    const from = (address: string) => panel.visitor().get('/settings', { ...bearing(text), from: address })
    assert.equal((await from('127.0.40.7')).status, 200)
    const { status, error } = await from('127.0.41.7')
    assert.deepEqual([status, error.code], [403, 'NETWORK_NOT_ALLOWED'])
  })

  it('shows when and from where it was used last, written once a minute at most', async () => {
    const { text } = await create(['read'])
    const used = async (): Promise<[string | null, string]> => {
      const { tokens } = (await operator.get<{ tokens: Created['token'][] }>('/auth/tokens')).body
      return [tokens[0]?.last_used_date ?? null, tokens[0]?.last_used_ip ?? '']
    }
    assert.deepEqual(await used(), [null, ''])
    const use = () => panel.visitor().get('/settings', { ...bearing(text), from: '127.0.0.8' })
    await use()
    const [first, address] = await used()
    assert.equal(address, '127.0.0.8')
    panel.clock.advance(30)
    await use()
    assert.equal((await used())[0], first)
    panel.clock.advance(31)
    await use()
    assert.notEqual((await used())[0], first)
  })

  it('is named in the audit log by its title', async () => {
    const { text } = await create(['settings'], { title: 'Terraform' })
    await panel.visitor().put('/settings', { 'display.theme': 'dark' }, bearing(text))
    const { entries } = (
      await operator.get<{ entries: { username: string; session_id: null; action: string }[] }>('/audit?limit=1')
    ).body
    assert.deepEqual(
      entries.map(({ username, session_id, action }) => [username, session_id, action]),
      [['token:Terraform', null, 'SettingUpdate']],
    )
  })

  it('is refused with what is wrong: no scope, an expiry in the past, no network, a title that is taken', async () => {
    const refused = async (body: object): Promise<[number, string]> => {
      const { status, error } = await operator.post('/auth/tokens', body)
      return [status, error.field]
    }
    const good = { title: 'a', scopes: ['read'] }
    assert.deepEqual(await refused({ ...good, scopes: [] }), [422, 'scopes'])
    assert.deepEqual(await refused({ ...good, expires_date: '2020-01-01T00:00:00Z' }), [422, 'expires_date'])
    assert.deepEqual(await refused({ ...good, allowed_networks: ['10.0.0.0/33'] }), [422, 'allowed_networks'])
    await create(['read'], { title: 'a' })
    assert.deepEqual(await refused(good), [409, 'title'])
  })

  it('that is guessed too often waits, and one that is right does not', async () => {
    const { text } = await create(['read'])
    const statuses: number[] = []
    for (let at = 0; at < 21; at++) statuses.push((await panel.visitor().get('/settings', bearing('x'))).status)
    assert.deepEqual([statuses[19], statuses[20]], [401, 429])
    assert.equal((await panel.visitor().get('/settings', bearing(text))).status, 200)
  })

  it('is no concern of another scheme, as a proxy in front uses', async () => {
    const { status } = await operator.get('/settings', { headers: { Authorization: 'Basic YTpi' } })
    assert.equal(status, 200)
  })

  it('is in the API description, beside the session', async () => {
    const { body } = await operator.raw<{
      components: { securitySchemes: Record<string, { type: string; scheme?: string }> }
      paths: Record<string, Record<string, { security: object[] }>>
    }>('GET', '/api/docs')
    const { session, token } = body.components.securitySchemes
    assert.deepEqual([session?.type, token?.type, token?.scheme], ['apiKey', 'http', 'bearer'])
    assert.deepEqual(body.paths['/api/v1/tunnels']?.['get']?.security, [{ session: [] }, { token: [] }])
    assert.deepEqual(body.paths['/api/v1/auth/me']?.['get']?.security, [{ session: [] }])
  })
})
