// No mutating request goes unrecorded: each endpoint of the list, called in vain by the operator and by a stranger,
// leaves an entry of its own (decisions.md, U4, U5).
import assert from 'node:assert/strict'
import type { AuditEntry, ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import type { AuditedEndpoint, Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const isAudited = (endpoint: Endpoint): endpoint is AuditedEndpoint =>
  'audit' in endpoint && endpoint.audit !== undefined

/** Further actions of an endpoint that stands for several, or whose failure is an action of its own. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  Login: ['LoginFailed'],
  PasswordChange: ['UsernameChange'],
  ForwardingEnable: ['ForwardingRevert'],
}

describe('Every endpoint that can change something', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const entryOf = async (request_id: string): Promise<AuditEntry[]> =>
    (await operator.get<ListAuditAnswer>('/audit?limit=1000')).body.entries.filter(
      (entry) => entry.request_id === request_id,
    )

  for (const [who, isSignedIn] of [
    ['the operator', true],
    ['a stranger', false],
  ] as const) {
    it(`has an entry with its action, the reason and the duration where it is refused to ${who}`, async () => {
      for (const endpoint of panel.endpoints.filter(isAudited)) {
        if (isSignedIn && endpoint.route === 'POST /auth/logout') continue
        // There are more endpoints than minutes that a session lasts.
        if ((await operator.get('/auth/me')).status === 401) operator = await panel.signIn()
        const [method = '', path = ''] = endpoint.route.replaceAll(/\{\w+\}/g, '9999').split(' ')
        // As long as it may be.
        const request_id = `${who.replace(' ', '-')}-${endpoint.route.replaceAll(/[^A-Za-z]+/g, '-')}`.slice(0, 64)
        const client = isSignedIn ? operator : panel.visitor()
        // Without one there would be no entry.
        if (!isSignedIn) client.cookies.set('panel_csrf', 'x')
        const { status, error } = await client.api(
          method,
          path,
          { nonsense: true },
          { headers: { 'X-Request-Id': request_id } },
        )
        assert.ok(status >= 400, `${endpoint.route} ${status}`)
        const [entry, ...more] = await entryOf(request_id)
        assert.ok(entry && more.length === 0, endpoint.route)
        assert.ok(
          [endpoint.audit, ...(ALSO[endpoint.audit] ?? [])].includes(entry.action as never),
          `${endpoint.route}: ${entry.action}`,
        )
        assert.deepEqual(
          [entry.is_success, entry.client_ip, entry.error_message.split(':')[0]],
          [false, '127.0.0.1', error.code],
          endpoint.route,
        )
        assert.ok(Number.isInteger(entry.duration_ms) && entry.duration_ms >= 0)
        panel.clock.advance(61)
      }
    })
  }

  it('has one also where what was sent is no body at all, too large, or so deep that nobody can look through it', async () => {
    const deep = (brackets: string, within = ''): string =>
      brackets[0]!.repeat(200_000) + within + brackets[1]!.repeat(200_000)
    const bodies = {
      broken: '{"username":',
      large: `{"username":"${'x'.repeat(2 * 1024 * 1024)}"}`,
      deep: `{"username":${deep('[]')},"password":"x"}`,
      'deep-and-named': `{"username":"x","password":"y","more":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
    }
    for (const [request_id, raw] of Object.entries(bodies)) {
      await panel.visitor().post('/auth/login', undefined, { raw, headers: { 'X-Request-Id': request_id } })
      assert.deepEqual(
        (await entryOf(request_id)).map(({ action, is_success }) => [action, is_success]),
        [['LoginFailed', false]],
        request_id,
      )
    }
    const request_id = 'deep-tunnel'
    await operator.post('/tunnels', undefined, {
      raw: `{"addresses":${deep('[]')},"tags":${deep('[]')}}`,
      headers: { 'X-Request-Id': request_id },
    })
    const [entry] = await entryOf(request_id)
    assert.ok(entry && JSON.stringify(entry.request).length < 1000)
  })
})
