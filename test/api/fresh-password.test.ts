// What outlives a session or changes who may come in takes a password given within the last ten minutes, and no API
// token (reference.md, Fresh password; decisions.md, A24).
import assert from 'node:assert/strict'
import type { CreateTokenAnswer } from '@panel/shared/api/tokens.ts'
import type { Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { backupOf, importInto } from './support/backup.ts'
import type { Client, Reply, Sending } from './support/client.ts'
import { turnOnFactor } from './support/factor.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { HOOK } from './support/webhooks.ts'

const TEN_MINUTES_S = 600
const ORIGINS = { 'security.allowed_origins': ['https://evil.example'] }
const PASSWORD = { current_password: OPERATOR.password }

/** Every request that has to pass, with a body that the endpoint accepts; the paths name what the hook below makes. */
const ALWAYS: readonly (readonly [string, object?])[] = [
  ['POST /auth/tokens', { title: 'a token', scopes: ['read'] }],
  ['POST /auth/me/totp/confirm', { code: '000000' }],
  ['POST /system/listeners', { address: '127.0.0.1', port: 1 }],
  ['POST /system/listeners/9999/keep'],
  ['DELETE /system/listeners/9999'],
]
const BY_BODY: readonly (readonly [string, object?])[] = [
  ['PUT /settings', ORIGINS],
  ['PUT /settings', { 'display.theme': 'dark', 'security.login_rate_limit_per_minute': 1000 }],
  ['PUT /settings', { 'system.audit_retention_days': 1 }],
  ['POST /settings/reset', { keys: ['security.token_ttl_minutes'] }],
  ['POST /settings/reset', { keys: [] }],
  ['POST /settings/reset'],
  ['PUT /webhooks/1', { ...HOOK, kind: 'ntfy', recipient: '', url: 'https://ntfy.example.net/other' }],
  ['PUT /webhooks/1', { ...HOOK, kind: 'ntfy', secret: 'another' }],
  ['PUT /webhooks/1', { ...HOOK, kind: 'slack', url: 'https://slack.example.net/' }],
  ['PUT /webhooks/1', { ...HOOK, kind: 'ntfy', recipient: 'somebody@example.net' }],
]
const HARMLESS: readonly (readonly [string, object?])[] = [
  ['POST /webhooks/1/test'],
  ['PUT /settings', { 'display.theme': 'dark', 'security.token_ttl_minutes': 50 }],
  ['POST /settings/reset', { keys: ['display.theme', 'security.allowed_origins'] }],
  ['PUT /webhooks/1', { ...HOOK, kind: 'ntfy', title: 'Renamed', is_enabled: false }],
  ['PUT /webhooks/1', { ...HOOK, kind: 'ntfy', url: 'https://ntfy.example.net/panel', secret: 'kept' }],
]

describe('A fresh password', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
    await operator.put('/settings', { 'security.token_ttl_minutes': 50 })
    await operator.post('/webhooks', { ...HOOK, kind: 'ntfy', url: 'https://ntfy.example.net/panel', secret: 'kept' })
  })
  afterEach(() => panel.close())

  const send = (client: Client, [route, body]: readonly [string, object?], more?: Sending): Promise<Reply> => {
    const [method = '', path = ''] = route.split(' ')
    return client.api(method, path, body, more)
  }
  const isRefused = ({ status, text }: Reply): boolean => status === 403 && text.includes('FRESH_PASSWORD_REQUIRED')
  const confirm = (body: object = PASSWORD): Promise<Reply> => operator.post('/auth/confirm', body)
  const kept = async (): Promise<unknown> => [
    await panel.db.selectFrom('setting').selectAll().execute(),
    await panel.db.selectFrom('webhook').selectAll().execute(),
    await panel.db.selectFrom('api_token').selectAll().execute(),
    (await operator.get<{ listeners: unknown[] }>('/system/listeners')).body.listeners.length,
  ]

  it('is required by these endpoints and no other, in the request itself by some', () => {
    const routes = (holds: (endpoint: Endpoint) => boolean): string[] =>
      panel.endpoints
        .filter(holds)
        .map(({ route }) => route)
        .sort()
    const freshOf = (endpoint: Endpoint): unknown => ('fresh' in endpoint ? endpoint.fresh : undefined)
    assert.deepEqual(
      routes((endpoint) => freshOf(endpoint) === true),
      [
        'DELETE /system/listeners/{id}',
        'POST /auth/me/totp/confirm',
        'POST /auth/tokens',
        'POST /system/listeners',
        'POST /system/listeners/{id}/keep',
        'PUT /backup/elsewhere/passphrase',
      ],
    )
    assert.deepEqual(
      routes((endpoint) => typeof freshOf(endpoint) === 'function'),
      // What is a series of these, as a restore or a file, looks for it itself.
      ['POST /settings/reset', 'PUT /settings', 'PUT /webhooks/{id}'],
    )
    assert.deepEqual(
      routes(({ body }) => Object.hasOwn(body?.['properties'] ?? {}, 'current_password')),
      [
        'DELETE /auth/me/totp',
        'POST /auth/confirm',
        'POST /auth/me/totp',
        'POST /auth/me/totp/recovery-codes',
        'POST /backup/import',
        'PUT /auth/me',
      ],
    )
  })

  it('is what set-up and sign-in have just been given, for ten minutes', async () => {
    for (const client of [operator, await panel.signIn()])
      for (const request of ALWAYS) assert.ok(!isRefused(await send(client, request)), request[0])
    panel.clock.advance(TEN_MINUTES_S - 5)
    assert.ok(!isRefused(await send(operator, ['PUT /settings', ORIGINS])))
    panel.clock.advance(10)
    assert.ok(isRefused(await send(operator, ['PUT /settings', { 'security.allowed_origins': [] }])))
  })

  it('is missing in an older session: nothing is changed until it is given, and then the same request passes', async () => {
    for (const request of [...ALWAYS, ...BY_BODY]) {
      panel.clock.advance(TEN_MINUTES_S + 1)
      const before = await kept()
      assert.ok(isRefused(await send(operator, request)), JSON.stringify(request))
      assert.deepEqual(await kept(), before, request[0])
      assert.equal((await confirm()).status, 200)
      const { status, text } = await send(operator, request)
      assert.ok(!text.includes('FRESH_PASSWORD_REQUIRED'), `${JSON.stringify(request)}: ${status} ${text}`)
      operator = await panel.signIn()
      await operator.put('/settings', { 'security.token_ttl_minutes': 50 })
      await operator.put('/webhooks/1', {
        ...HOOK,
        kind: 'ntfy',
        url: 'https://ntfy.example.net/panel',
        secret: 'kept',
      })
    }
  })

  it('is not required for what leads nothing elsewhere and lets nobody in', async () => {
    panel.clock.advance(TEN_MINUTES_S + 1)
    for (const request of HARMLESS) assert.equal((await send(operator, request)).status, 200, JSON.stringify(request))
  })

  it('is not replaced by renewing the session, nor by setting the clock back', async () => {
    panel.clock.advance(TEN_MINUTES_S + 1)
    assert.equal((await operator.post('/auth/refresh')).status, 200)
    assert.ok(isRefused(await send(operator, ['PUT /settings', ORIGINS])))
    await confirm()
    panel.clock.set(-20)
    assert.ok(isRefused(await send(operator, ['PUT /settings', ORIGINS])))
  })

  it('is given in one session for that session alone', async () => {
    const other = await panel.signIn()
    panel.clock.advance(TEN_MINUTES_S + 1)
    await confirm()
    assert.ok(isRefused(await send(other, ['PUT /settings', ORIGINS])))
    assert.ok(!isRefused(await send(operator, ['PUT /settings', ORIGINS])))
  })

  it('is never that of an API token, whatever its scopes', async () => {
    for (const scopes of [['*'], ['settings', 'notifications', 'access', 'backup']]) {
      const body = { title: scopes.join(' '), scopes }
      const { text } = (await operator.post<CreateTokenAnswer>('/auth/tokens', body)).body
      const bearing = { headers: { Authorization: `Bearer ${text}` } }
      const before = await kept()
      for (const request of [...ALWAYS.filter(([route]) => !route.includes('/auth/')), ...BY_BODY])
        assert.ok(isRefused(await send(panel.visitor(), request, bearing)), JSON.stringify(request))
      for (const request of [...ALWAYS.filter(([route]) => route.includes('/auth/')), ['POST /auth/confirm', PASSWORD]])
        assert.equal(
          (await send(panel.visitor(), request as [string, object], bearing)).status,
          403,
          String(request[0]),
        )
      const settings = [{ key: 'system.audit_retention_days', value: 1 }]
      const reply = await panel
        .visitor()
        .post('/backup/import', { backup: backupOf({ settings }), ...PASSWORD }, bearing)
      assert.match(reply.text, /FRESH_PASSWORD_REQUIRED/)
      const withoutUse = (state: unknown): string => JSON.stringify(state).replaceAll(/"last_used_\w+":[^,}]+/g, '')
      assert.equal(withoutUse(await kept()), withoutUse(before))
      for (const request of HARMLESS) assert.equal((await send(panel.visitor(), request, bearing)).status, 200)
    }
  })

  describe('given again', () => {
    it('is compared as at the sign-in: a wrong one counts, and after five the session waits', async () => {
      panel.clock.advance(TEN_MINUTES_S + 1)
      const statuses: number[] = []
      for (let at = 0; at < 6; at++) statuses.push((await confirm({ current_password: 'wrong wrong wrong' })).status)
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
      assert.equal((await confirm()).status, 429)
      assert.ok(isRefused(await send(operator, ['PUT /settings', ORIGINS])))
    })

    it('is in the audit log, without the password', async () => {
      await confirm()
      await confirm({ current_password: 'wrong wrong wrong' })
      const { text, body } = await operator.get<{ entries: { is_success: boolean; username: string }[] }>(
        '/audit?action=PasswordConfirm',
      )
      assert.deepEqual(
        body.entries.map(({ is_success, username }) => [is_success, username]),
        [
          [false, OPERATOR.username],
          [true, OPERATOR.username],
        ],
      )
      assert.ok(!text.includes(OPERATOR.password) && !text.includes('wrong wrong'))
    })

    it('takes the code too where a second factor is on, each code once', async () => {
      const factor = await turnOnFactor(panel, operator)
      panel.clock.advance(TEN_MINUTES_S + 1)
      const settings = [{ key: 'security.allowed_origins', value: ['https://evil.example'] }]
      assert.match((await importInto(operator, backupOf({ settings }))).text, /FRESH_PASSWORD_REQUIRED/)
      const answer = await confirm()
      assert.deepEqual([answer.status, answer.error.code, answer.error.field], [401, 'SECOND_FACTOR_REQUIRED', 'code'])
      assert.equal((await confirm({ ...PASSWORD, code: '000000' })).status, 401)
      assert.ok(isRefused(await send(operator, ['PUT /settings', ORIGINS])))
      const code = factor.code()
      assert.equal((await confirm({ ...PASSWORD, code })).status, 200)
      assert.ok(!isRefused(await send(operator, ['PUT /settings', ORIGINS])))
      assert.equal((await confirm({ ...PASSWORD, code })).status, 401)
    })

    it('counts wrong codes like wrong passwords, whatever right password comes in between', async () => {
      await turnOnFactor(panel, operator)
      for (let at = 0; at < 5; at++) {
        assert.equal((await confirm({ ...PASSWORD, code: '000000' })).status, 401)
        if (at < 4) assert.equal((await confirm()).error.code, 'SECOND_FACTOR_REQUIRED')
      }
      assert.equal((await confirm()).status, 429)
    })
  })
})
