// What the settings of sessions and passwords change, each at once.
import assert from 'node:assert/strict'
import type { Reply } from './support/client.ts'
import { effectsOf } from './support/effects.ts'
import { OPERATOR, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'

const maxAgeOf = ({ headers }: Reply<unknown>, cookie: string): number =>
  Number(/Max-Age=(\d+)/.exec(headers['set-cookie']?.find((one) => one.startsWith(`${cookie}=`)) ?? '')?.[1])
const guess = async (
  panel: TestPanel,
  username: string,
  from: string,
  password = 'wrong wrong wrong',
): Promise<number> => (await panel.visitor().post('/auth/login', { username, password }, { from })).status
const PAGE = 'https://panel.example.net'

effectsOf('security', {
  'security.token_ttl_minutes': {
    does: 'ends a session sooner, those that there are too, and leaves it to be renewed',
    test: async (client, panel) => {
      await set(client, { 'security.token_ttl_minutes': 2 })
      const renewed = await client.post<{ access_expires_at: string }>('/auth/refresh')
      assert.deepEqual([maxAgeOf(renewed, 'panel_access'), maxAgeOf(renewed, 'panel_csrf')], [120, 30 * 86_400])
      const old = await panel.signIn()
      panel.clock.advance(100)
      assert.equal((await old.get('/auth/me')).status, 200)
      await set(client, { 'security.token_ttl_minutes': 1 })
      assert.deepEqual(
        [
          (await old.get('/auth/me')).status,
          (await old.post('/auth/refresh')).status,
          (await old.get('/auth/me')).status,
        ],
        [401, 200, 200],
      )
    },
  },
  'security.refresh_ttl_days': {
    does: 'is how long a session can be renewed, those that there are too',
    test: async (client, panel) => {
      const old = await panel.signIn()
      await set(client, { 'security.refresh_ttl_days': 1 })
      const renewed = await client.post('/auth/refresh')
      assert.deepEqual([maxAgeOf(renewed, 'panel_refresh'), maxAgeOf(renewed, 'panel_csrf')], [86_400, 86_400])
      panel.clock.advance(86_400 + 60)
      assert.deepEqual(
        [(await client.post('/auth/refresh')).status, (await old.post('/auth/refresh')).status],
        [401, 401],
      )
    },
  },
  'security.login_rate_limit_per_minute': {
    does: 'is how often signing in under one name may fail within a minute',
    test: async (client, panel) => {
      await set(client, { 'security.login_rate_limit_per_minute': 2 })
      assert.deepEqual(
        [
          await guess(panel, 'nobody', '127.0.7.1'),
          await guess(panel, 'nobody', '127.0.7.2'),
          await guess(panel, 'nobody', '127.0.7.3'),
        ],
        [401, 401, 429],
      )
      await set(client, { 'security.login_rate_limit_per_minute': 3 })
      assert.deepEqual(
        [await guess(panel, 'nobody', '127.0.7.3'), await guess(panel, 'nobody', '127.0.7.4')],
        [401, 429],
      )
    },
  },
  'security.login_lockout_minutes': {
    does: 'is how long an address waits after five failures in a row',
    test: async (client, panel) => {
      for (let at = 1; at <= 5; at += 1) await guess(panel, `nobody${at}`, '127.0.8.1')
      const again = (): Promise<number> => guess(panel, OPERATOR.username, '127.0.8.1', OPERATOR.password)
      panel.clock.advance(120)
      assert.equal(await again(), 429)
      await set(client, { 'security.login_lockout_minutes': 2 })
      assert.equal(await again(), 200)
    },
  },
  'security.allowed_origins': {
    does: 'lets the page of another origin use the API, sign-in included, and no other page',
    test: async (client, panel) => {
      const asking = { 'Access-Control-Request-Method': 'PUT', Origin: PAGE }
      const signIn = (): Promise<Reply> =>
        panel.visitor().post('/auth/login', OPERATOR, { headers: { Origin: PAGE, 'Sec-Fetch-Site': 'cross-site' } })
      const before = await panel.visitor().api('OPTIONS', '/settings', undefined, { headers: asking })
      assert.deepEqual([before.status, before.error.code, (await signIn()).status], [403, 'ORIGIN_NOT_ALLOWED', 403])
      await set(client, { 'security.allowed_origins': [PAGE] })
      const { status, headers, text } = await panel
        .visitor()
        .api('OPTIONS', '/settings', undefined, { headers: asking })
      assert.deepEqual(
        [status, text, headers['access-control-allow-origin'], headers['access-control-allow-credentials']],
        [204, '', PAGE, 'true'],
      )
      assert.match(headers['access-control-allow-headers'] ?? '', /X-CSRF-Token/)
      assert.match(headers['access-control-allow-methods'] ?? '', /PUT/)
      assert.deepEqual(
        [
          (await signIn()).status,
          (await client.get('/settings', { headers: { Origin: PAGE } })).headers['access-control-allow-origin'],
        ],
        [200, PAGE],
      )
      const other = await client.get('/settings', { headers: { Origin: 'https://other.example.net' } })
      assert.deepEqual(
        [other.headers['access-control-allow-origin'], other.headers['vary']?.split(', ').includes('Origin')],
        [undefined, true],
      )
    },
  },
})
