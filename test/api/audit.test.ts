// Every mutating request leaves an entry, refused ones too, and no secret does (reference.md: Audit entry;
// decisions.md, U1 to U5).
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AUDIT_ACTIONS } from '@panel/shared/api/audit/actions.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel, patchTunnel } from './support/tunnels.ts'
import { probeEndpoints } from './support/probe-endpoints.ts'

interface Entry {
  audit_log_id: number
  audit_action_id: number
  action: string
  user_id: number | null
  username: string
  target_type: string
  target_id: number | null
  target_name: string
  request: Record<string, unknown>
  operations: string[]
  is_success: boolean
  error_message: string
  duration_ms: number
  client_ip: string
  request_id: string
  created_date: string
}

interface Listing {
  entries: Entry[]
  total: number
  limit: number
  offset: number
  actions: string[]
}

describe('the audit log', () => {
  let panel: TestPanel
  let operator: Client
  let directory: string
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'panel-audit-'))
    panel = await startPanel({ store: join(directory, 'panel.db'), extra_endpoints: probeEndpoints().endpoints })
    operator = await panel.setUp()
  })
  afterEach(async () => {
    await panel.close()
    rmSync(directory, { recursive: true })
  })

  const entries = async (query = ''): Promise<Entry[]> => (await operator.get<Listing>(`/audit${query}`)).body.entries
  const newest = async (): Promise<Entry> => {
    const [entry] = await entries()
    assert.ok(entry)
    return entry
  }

  it('has of a mutating request the action, its number, the actor, the address, the content and whether it succeeded', async () => {
    await operator.post('/widgets', { name: 'a', mtu: 1400 }, { headers: { 'X-Request-Id': 'req-1' } })
    const { audit_log_id, duration_ms, created_date, ...entry } = await newest()
    assert.deepEqual(entry, {
      audit_action_id: 40,
      action: 'TunnelCreate',
      user_id: 1,
      username: OPERATOR.username,
      session_id: 1,
      target_type: 'widget',
      target_id: 1,
      target_name: '',
      request: { name: 'a', mtu: 1400 },
      operations: ['Made it'],
      is_success: true,
      error_message: '',
      error_reason: { message: '', message_id: '', params: {} },
      client_ip: '127.0.0.1',
      request_id: 'req-1',
    })
    assert.ok(audit_log_id > 0 && duration_ms >= 0)
    assert.match(created_date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('has the name that its object bears now, and none of what no longer exists', async () => {
    const named = async (): Promise<string[]> =>
      (await entries('?action=RouteCreate')).map(({ target_name }) => target_name)
    const { route_rule_title } = await madeRoute(operator)
    assert.deepEqual(await named(), [route_rule_title])
    await operator.patch('/routes/1', { route_rule_title: 'Another' })
    assert.deepEqual(await named(), ['Another'])
    await operator.delete('/routes/1')
    assert.deepEqual(await named(), [''])
  })

  it('has failed and refused requests too: validation, failure, CSRF, no session', async () => {
    await operator.post('/widgets', { nam: 1 })
    await operator.delete('/widgets/1')
    await operator.post('/widgets', { name: 'a' }, { csrf: false })
    const stranger = panel.visitor()
    stranger.cookies.set('panel_csrf', 'x')
    await stranger.post('/widgets', { name: 'a' })
    const found = (await entries())
      .slice(0, 4)
      .map(({ action, username, is_success, error_message }) => [
        action,
        username,
        is_success,
        error_message.split(':')[0],
      ])
    assert.deepEqual(found, [
      ['TunnelCreate', '', false, 'UNAUTHENTICATED'],
      ['TunnelCreate', OPERATOR.username, false, 'CSRF_TOKEN_INVALID'],
      ['TunnelDelete', OPERATOR.username, false, 'INTERNAL_ERROR'],
      ['TunnelCreate', OPERATOR.username, false, 'VALIDATION_FAILED'],
    ])
  })

  it('has no entry of a query, a preview, or a path that is none', async () => {
    const before = (await operator.get<Listing>('/audit')).body.total
    await operator.get('/widgets/1')
    await operator.post('/widgets/preview', { name: 'a' })
    await operator.post('/nothing', { name: 'a' })
    assert.equal((await operator.get<Listing>('/audit')).body.total, before)
  })

  it('has the whole life of a session by its own actions', async () => {
    await panel.visitor().post('/auth/login', { ...OPERATOR, password: 'wrong wrong wrong' })
    await panel.visitor().post('/auth/login', { ...OPERATOR, password: 5 })
    const other = await panel.signIn()
    await other.post('/auth/refresh')
    await other.post('/auth/logout')
    await operator.put('/auth/me', { current_password: OPERATOR.password, username: 'chief' })
    await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: 'a new and longer one' })
    const found = (await entries())
      .reverse()
      .map(({ action, username, is_success, operations }) => [action, username, is_success, ...operations])
    assert.deepEqual(found, [
      ['Setup', 'operator', true],
      ['LoginFailed', '', false],
      ['LoginFailed', '', false],
      ['Login', 'operator', true],
      ['SessionRefresh', 'operator', true],
      ['Logout', 'operator', true],
      ['UsernameChange', 'operator', true, 'Username changed from operator to chief'],
      ['PasswordChange', 'chief', true, 'Password changed'],
    ])
  })

  it('never holds a password, a token or a cookie: not in an entry, not in the store, not in the log', async () => {
    const secrets = [
      'hunter2-hunter2-a',
      'hunter2-hunter2-b',
      'hunter2-hunter2-c',
      'hunter2-hunter2-d',
      'hunter2-hunter2-e',
      'hunter2-hunter2-f',
      'hunter2-hunter2-g',
    ]
    await panel.visitor().post('/auth/login', { username: 'operator', password: secrets[0] })
    await panel.visitor().post('/auth/login', { username: 'operator', password: [secrets[1]] })
    await panel.visitor().post('/auth/login', { username: 'operator', pwd: secrets[2], deep: { a: secrets[2] } })
    await operator.put('/auth/me', { current_password: secrets[3], new_password: `${secrets[3]}-new` })
    await operator.put('/auth/me', {
      current_password: OPERATOR.password,
      new_password: 'short',
      username: { password: secrets[4] },
    })
    await operator.post('/widgets', {
      name: 'a',
      pin: secrets[5],
      parts: [{ address: 'b', session_token: secrets[5] }],
    })
    await operator.post('/widgets', undefined, { raw: `{"password":"${secrets[6]}"` })
    const session = [...operator.cookies.values()]
    const stored = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'latin1'))
      .join('')
    const listed = (await operator.get('/audit')).text
    for (const secret of [OPERATOR.password, ...secrets, ...session]) {
      for (const [where, text] of [
        ['store', stored],
        ['log', panel.log.join('')],
        ['entries', listed],
      ] as const)
        assert.ok(!text.includes(secret), `${where} holds ${secret}`)
    }
    assert.ok(listed.includes('[redacted]'))
  })

  it('keeps what is no secret, a GRE key above all, and of too large a request its beginning', async () => {
    await operator.put('/widgets', { name: 'a', mtu: 1400, colour: 'red' })
    assert.deepEqual((await newest()).request, { name: 'a', mtu: 1400, colour: 'red' })
    await operator.put('/widgets', { name: 'x'.repeat(500_000) })
    assert.match(JSON.stringify((await newest()).request), /^\{"name":"x+… \[cut: 500000 characters\]"\}$/)
  })

  it('is listed newest first, in pages, with the filter names', async () => {
    for (let at = 0; at < 5; at++) await operator.post('/widgets', { name: `n${at}` })
    const { body } = await operator.get<Listing>('/audit?limit=2&offset=1')
    assert.deepEqual([body.total, body.limit, body.offset], [6, 2, 1])
    assert.deepEqual(
      body.entries.map(({ request }) => request['name']),
      ['n3', 'n2'],
    )
    assert.deepEqual(body.actions, Object.keys(AUDIT_ACTIONS))
    for (const bad of ['limit=-1', 'limit=x', 'offset=-3', 'limit=1e2'])
      assert.deepEqual(
        [
          (await operator.get<Listing>(`/audit?${bad}`)).body.limit,
          (await operator.get<Listing>(`/audit?${bad}`)).body.offset,
        ],
        [100, 0],
      )
    assert.equal((await operator.get<Listing>('/audit?limit=5000')).body.limit, 1000)
  })

  it('is narrowed by action (name in any case, or id), actor, target, success and time', async () => {
    await operator.post('/widgets', { name: 'a' })
    await operator.delete('/widgets/1')
    const count = async (query: string): Promise<number> => (await entries(query)).length
    for (const action of ['TunnelCreate', 'tunnelcreate', '40']) assert.equal(await count(`?action=${action}`), 1)
    assert.equal(await count('?action=TunnelDelete&success=true'), 0)
    assert.equal(await count('?action=TunnelDelete&success=0'), 1)
    assert.equal(await count('?target_type=widget&target_id=1'), 1)
    assert.equal(await count('?user_id=2'), 0)
    assert.equal(await count('?from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z'), 0)
    assert.equal(await count(`?from=${new Date(Date.now() - 60_000).toISOString()}`), 3)
  })

  it('is searched for a text, without wildcards or case, in what an entry holds and in the present name of its object', async () => {
    await operator.post('/widgets', { name: 'Größe 10%' }, { headers: { 'X-Request-Id': 'req-77' } })
    await operator.post('/widgets', { name: 'b', colour: 'green' })
    await createTunnel(operator)
    await patchTunnel(operator, 1, { note: 'Spare' })
    const found = async (search: string, more = ''): Promise<string[]> =>
      (await entries(`?search=${encodeURIComponent(search)}${more}`)).map(({ action }) => action)
    const widget = ['TunnelCreate']
    for (const text of ['größe', 'GRÖSSE 10%', 'req-77', 'made IT']) assert.deepEqual(await found(text), widget, text)
    assert.deepEqual(await found('green'), widget)
    assert.deepEqual(await found('must be one of'), widget)
    assert.deepEqual(await found('spare'), ['TunnelUpdate'])
    assert.deepEqual(await found('gre-a-1'), ['TunnelUpdate', 'TunnelCreate'])
    assert.deepEqual(await found('gre-a-1', '&action=TunnelUpdate'), ['TunnelUpdate'])
    assert.deepEqual(await found('gre_a_1'), [])
    assert.equal((await found('127.0.0.1')).length, (await entries()).length)
    assert.equal((await found(OPERATOR.username.toUpperCase())).length, (await entries()).length)
    assert.equal((await found('')).length, (await entries()).length)
  })

  it('names nothing that is not there, whatever id a request to end or delete it has', async () => {
    for (const id of [0, 999])
      for (const path of ['auth/tokens', 'auth/sessions', 'webhooks', 'tunnels', 'routes', 'pools'])
        assert.ok((await operator.delete(`/${path}/${id}`, {})).status >= 400, path)
    const { entries } = (await operator.get<Listing>('/audit')).body
    const refused = entries.filter(({ is_success }) => !is_success)
    assert.equal(refused.length, 12)
    assert.deepEqual(
      refused.filter(({ target_id }) => target_id !== null).map(({ action }) => action),
      [],
    )
  })

  it('answers an unknown action by 400 with the known list', async () => {
    const { status, error } = await operator.get('/audit?action=Nonsense')
    assert.deepEqual([status, error.code, error.field], [400, 'INVALID_REQUEST', 'action'])
    assert.deepEqual(error.details['known'], Object.keys(AUDIT_ACTIONS))
    for (const bad of ['user_id=x', 'success=maybe', 'from=yesterday'])
      assert.equal((await operator.get(`/audit?${bad}`)).status, 422)
  })

  it('answers a filter that cannot be read by 422 on it, and an unknown action by 400', async () => {
    const bad = {
      user_id: ['x', '-1', '1.5'],
      target_id: ['x', '1e3'],
      success: ['maybe', '2'],
      from: ['yesterday', '2026', '5', 'Jan 1 2026', '2026-13-01T00:00:00Z', '2026-01-01'],
      to: ['tomorrow', '2026-01-01T25:00:00Z'],
      action: ['Nonsense', '41', 'Tunnel'],
    }
    for (const [field, values] of Object.entries(bad)) {
      for (const value of values) {
        const { status, error } = await operator.get(`/audit?${field}=${encodeURIComponent(value)}`)
        const expected = field === 'action' ? [400, 'INVALID_REQUEST'] : [422, 'VALIDATION_FAILED']
        assert.deepEqual([status, error.code, error.field], [...expected, field], `${field}=${value}`)
      }
    }
    for (const empty of ['action=', 'from=', 'success='])
      assert.equal((await operator.get(`/audit?${empty}`)).status, 200)
  })

  it('has both ends of a span of time in it', async () => {
    await operator.post('/widgets', { name: 'a' })
    const { created_date } = await newest()
    assert.equal((await entries(`?action=TunnelCreate&from=${created_date}&to=${created_date}`)).length, 1)
    const later = new Date(Date.parse(created_date) + 1).toISOString()
    assert.equal((await entries(`?action=TunnelCreate&from=${later}`)).length, 0)
    assert.equal(
      (await entries(`?action=TunnelCreate&to=${encodeURIComponent(created_date.replace('Z', '+00:00'))}`)).length,
      1,
    )
  })

  it('missing an entry because the store refuses it does not make the answer untrue, and the log tells', async () => {
    await panel.db.schema.dropTable('audit_log').execute()
    assert.equal((await operator.post('/widgets', { name: 'a' })).status, 201)
    assert.ok(panel.log.some((line) => line.includes('no audit entry could be written')))
  })
})

describe('the numbers of the actions', () => {
  it('are each used once', () => {
    const numbers = Object.values(AUDIT_ACTIONS)
    assert.equal(new Set(numbers).size, numbers.length)
  })
})
