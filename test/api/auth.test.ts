// Signing in and out, and changing the account (reference.md: Auth, Session, Authentication; decisions.md, section 5
// and T1).
import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import bcrypt from 'bcrypt'
import { makePasswords, type Bcrypt } from '@panel/web-daemon/features/auth/passwords.ts'
import type { Reply } from './support/client.ts'
import { OPERATOR, startPanel, TEST_BCRYPT_COST, type TestPanel } from './support/panel.ts'

interface SessionBody {
  user: { user_id: number; username: string; is_active: boolean; last_login_date: string; created_date: string }
  csrf_token: string
  access_expires_at: string
  refresh_expires_at: string
}

describe('auth', () => {
  let panel: TestPanel
  beforeEach(async () => (panel = await startPanel({ web_path: 'panel' })))
  afterEach(() => panel.close())

  const cookieLines = (reply: Reply<unknown>): Map<string, string> =>
    new Map((reply.headers['set-cookie'] ?? []).map((line) => [line.split('=')[0] ?? '', line]))

  describe('the session', () => {
    it('comes in three cookies, SameSite Strict, on the path of the panel, HttpOnly but for the CSRF one, not Secure over plain HTTP', async () => {
      const lines = cookieLines(await panel.visitor().post('/auth/setup', OPERATOR))
      assert.deepEqual([...lines.keys()].sort(), ['panel_access', 'panel_csrf', 'panel_refresh'])
      const seconds: Record<string, number> = { panel_access: 3600, panel_refresh: 2592000, panel_csrf: 2592000 }
      for (const [name, line] of lines) {
        assert.match(
          line,
          new RegExp(
            `^${name}=[^;]{20,}; Max-Age=${seconds[name]}; Path=/panel/; Expires=[^;]+(; HttpOnly)?; SameSite=Strict$`,
          ),
        )
        assert.equal(line.includes('HttpOnly'), name !== 'panel_csrf')
      }
    })

    it('shows in the body who is signed in, the CSRF token and when it ends, and never a token value', async () => {
      const client = panel.visitor()
      const { body, text } = await client.post<SessionBody>('/auth/setup', OPERATOR)
      assert.deepEqual(Object.keys(body).sort(), ['access_expires_at', 'csrf_token', 'refresh_expires_at', 'user'])
      assert.deepEqual(Object.keys(body.user).sort(), [
        'created_date',
        'is_active',
        'last_login_date',
        'user_id',
        'username',
      ])
      assert.equal(body.csrf_token, client.cookies.get('panel_csrf'))
      assert.equal(Buffer.from(body.csrf_token, 'base64url').length, 32)
      for (const name of ['panel_access', 'panel_refresh']) assert.ok(!text.includes(String(client.cookies.get(name))))
      const minutes = (Date.parse(body.access_expires_at) - panel.clock.now().getTime()) / 60_000
      assert.ok(minutes > 59 && minutes <= 60)
    })

    it('has Path=/ without a prefix', async () => {
      const bare = await startPanel()
      for (const line of cookieLines(await bare.visitor().post('/auth/setup', OPERATOR)).values())
        assert.match(line, /; Path=\/; /)
      await bare.close()
    })

    it('is a token of HS256 with the claims that are read back', async () => {
      const operator = await panel.setUp()
      const [header = '', payload = ''] = String(operator.cookies.get('panel_access')).split('.')
      assert.equal((JSON.parse(String(Buffer.from(header, 'base64url'))) as { alg: string }).alg, 'HS256')
      const claims = JSON.parse(String(Buffer.from(payload, 'base64url'))) as Record<string, number | string>
      assert.deepEqual(Object.keys(claims).sort(), [
        'exp',
        'gen',
        'iat',
        'iss',
        'jti',
        'nbf',
        'sid',
        'sub',
        'token_use',
        'token_version',
        'username',
      ])
      assert.equal(Number(claims['iat']) - Number(claims['nbf']), 30)
    })

    it('ends after an hour, and the refresh cookie, good for 30 days, gives a new one', async () => {
      const operator = await panel.setUp()
      const old = new Map(operator.cookies)
      panel.clock.advance(3601)
      assert.equal((await operator.get('/auth/me')).error.code, 'UNAUTHENTICATED')
      const { status, body } = await operator.post<SessionBody>('/auth/refresh')
      assert.equal(status, 200)
      assert.equal(body.user.username, OPERATOR.username)
      for (const [name, value] of old) assert.notEqual(operator.cookies.get(name), value, name)
      assert.equal((await operator.get('/auth/me')).status, 200)
      panel.clock.advance(30 * 86400 + 1)
      assert.deepEqual(
        [(await operator.post('/auth/refresh')).status, (await operator.get('/auth/me')).status],
        [401, 401],
      )
    })

    it('cannot be refreshed without the CSRF header or the refresh cookie, nor with the access token in its place', async () => {
      const operator = await panel.setUp()
      assert.equal((await operator.post('/auth/refresh', undefined, { csrf: false })).status, 403)
      operator.cookies.set('panel_refresh', String(operator.cookies.get('panel_access')))
      assert.deepEqual(
        [(await operator.post('/auth/refresh')).status, (await operator.post('/auth/refresh')).error.code],
        [401, 'UNAUTHENTICATED'],
      )
      operator.cookies.delete('panel_refresh')
      assert.deepEqual((await operator.post('/auth/refresh')).error, {
        code: 'UNAUTHENTICATED',
        message: 'Sign in again: there is no session to refresh, or it has ended',
        field: '',
        details: {},
      })
    })

    it('is not one that is unsigned, signed with another key, or of another use', async () => {
      const operator = await panel.setUp()
      const [header = '', payload = '', signature = ''] = String(operator.cookies.get('panel_access')).split('.')
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
      const foreign = createHmac('sha256', createSecretKey(Buffer.alloc(32)))
        .update(`${header}.${payload}`)
        .digest('base64url')
      const forged = [
        `${header}.${payload}.${foreign}`,
        `${part({ alg: 'none' })}.${payload}.`,
        `${header}.${part({ sub: '1', token_use: 'access', token_version: 1 })}.${signature}`,
        operator.cookies.get('panel_refresh') ?? '',
        'x',
        'j:{"a":1}',
        '',
      ]
      for (const token of forged) {
        operator.cookies.set('panel_access', token)
        assert.equal((await operator.get('/auth/me')).status, 401, token)
      }
    })
  })

  describe('login', () => {
    it('gives 200, a session body and cookies, whatever the case of the name', async () => {
      await panel.setUp()
      const client = panel.visitor()
      const { status, body } = await client.post<SessionBody>('/auth/login', { ...OPERATOR, username: 'OPERATOR' })
      assert.deepEqual([status, body.user.username], [200, 'operator'])
      assert.equal((await client.get('/auth/me')).status, 200)
    })

    it('answers an unknown user and a wrong password by the same bytes', async () => {
      await panel.setUp()
      const wrong = await panel.visitor().post('/auth/login', { ...OPERATOR, password: 'wrong wrong wrong' })
      const unknown = await panel.visitor().post('/auth/login', { ...OPERATOR, username: 'nobody' })
      assert.deepEqual([wrong.status, unknown.status, wrong.error.code], [401, 401, 'INVALID_CREDENTIALS'])
      assert.equal(wrong.text, unknown.text)
      const names = ({ headers }: Reply): string[] => Object.keys(headers).sort()
      assert.deepEqual(names(wrong), names(unknown))
    })

    it('does the same work of bcrypt, at the same cost, for an unknown user and a wrong password', async () => {
      const compared: string[] = []
      const counting: Bcrypt = {
        hash: bcrypt.hash,
        compare: ((password: string, hash: string) => (
          compared.push(hash),
          bcrypt.compare(password, hash)
        )) as Bcrypt['compare'],
      }
      const counted = await startPanel({ passwords: makePasswords(TEST_BCRYPT_COST, counting) })
      await counted.setUp()
      for (const username of [OPERATOR.username, 'nobody', '', '-not a name-'])
        await counted.visitor().post('/auth/login', { username, password: 'wrong wrong wrong' })
      assert.equal(compared.length, 4)
      assert.deepEqual(new Set(compared.map((hash) => bcrypt.getRounds(hash))), new Set([TEST_BCRYPT_COST]))
      await counted.close()
    })

    it('by default is compared at cost 12 for both, the cost that passwords are kept at', async () => {
      const compared: string[] = []
      const counting: Bcrypt = {
        hash: bcrypt.hash,
        compare: ((_password: string, hash: string) => (
          compared.push(hash),
          Promise.resolve(false)
        )) as Bcrypt['compare'],
      }
      const passwords = makePasswords(undefined, counting)
      const kept = await passwords.hash(OPERATOR.password)
      for (const hash of [kept, null]) assert.equal(await passwords.isRight('wrong', hash), false)
      assert.deepEqual(
        compared.map((hash) => bcrypt.getRounds(hash)),
        [12, 12],
      )
    })

    it('does not take a password that only begins like the right one, 72 bytes on', async () => {
      const password = 'x'.repeat(72)
      await panel.visitor().post('/auth/setup', { ...OPERATOR, password })
      assert.equal((await panel.visitor().post('/auth/login', { ...OPERATOR, password: `${password}y` })).status, 401)
      assert.equal((await panel.visitor().post('/auth/login', { ...OPERATOR, password })).status, 200)
    })

    it('needs no CSRF header and no session, even where a stale cookie comes along', async () => {
      await panel.setUp()
      const client = panel.visitor()
      client.cookies.set('panel_access', 'stale')
      assert.equal((await client.post('/auth/login', OPERATOR, { csrf: false })).status, 200)
    })
  })

  describe('CSRF', () => {
    it('a mutating request without the header, or with a wrong one, gets 403 even with a valid session; GET needs none', async () => {
      const operator = await panel.setUp()
      const csrf = String(operator.cookies.get('panel_csrf'))
      for (const value of ['', 'wrong', csrf.slice(1), `${csrf}x`]) {
        const { status, error } = await operator.post('/auth/logout', undefined, {
          csrf: false,
          headers: { 'X-CSRF-Token': value },
        })
        assert.deepEqual([status, error.code], [403, 'CSRF_TOKEN_INVALID'])
      }
      assert.equal((await operator.get('/auth/me', { csrf: false })).status, 200)
    })

    it('an empty header does not match a missing or empty cookie', async () => {
      const operator = await panel.setUp()
      operator.cookies.set('panel_csrf', '')
      assert.equal((await operator.post('/auth/logout')).status, 403)
      operator.cookies.delete('panel_csrf')
      assert.equal((await operator.post('/auth/logout', undefined, { headers: { 'X-CSRF-Token': '' } })).status, 403)
    })
  })

  describe('logout', () => {
    it('clears the cookies on the same path, so that GET /auth/me is 401 afterwards', async () => {
      const operator = await panel.setUp()
      const reply = await operator.post('/auth/logout')
      assert.deepEqual([reply.status, reply.body], [200, { signed_out: true }])
      for (const line of cookieLines(reply).values())
        assert.match(line, /^panel_\w+=; Max-Age=0; Path=\/panel\/; Expires=/)
      assert.equal(operator.cookies.size, 0)
      assert.equal((await operator.get('/auth/me')).status, 401)
    })

    it('is 200 also when already signed out, with the CSRF header', async () => {
      await panel.setUp()
      const client = panel.visitor()
      client.cookies.set('panel_csrf', 'anything')
      assert.equal((await client.post('/auth/logout')).status, 200)
    })
  })
})
