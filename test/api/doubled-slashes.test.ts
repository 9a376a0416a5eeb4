// A server address that ends in a slash makes a client send two of them after the prefix (reference.md, Addressing 6):
// they are one, and every check of the path is made all the same.
import assert from 'node:assert/strict'
import express from 'express'
import { verbatim } from '@panel/shared/messages/message.ts'
import { standInApp } from '@panel/web-daemon/platform/http/stand-in.ts'
import { Client, type Reply } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

for (const prefix of ['', '/Secret.path'])
  describe(`Slashes after ${prefix === '' ? 'the host, without a prefix' : 'a prefix'}`, () => {
    let panel: TestPanel
    let operator: Client
    beforeEach(async () => {
      panel = await startPanel({ web_path: prefix.slice(1) })
      operator = await panel.setUp()
    })
    afterEach(() => panel.close())

    /** The same request with one slash and with more of them. */
    const bothWays = async (client: Client, method: string, path: string, body?: object): Promise<Reply[]> => {
      const replies: Reply[] = []
      for (const slashes of ['/', '//', '////'])
        replies.push(await client.raw(method, `${prefix}${slashes}${path}`, body))
      return replies
    }

    it('are one, however many there are', async () => {
      for (const path of ['api/v1/auth/me', 'api/v1/tunnels?limit=1', 'api/docs', 'tunnels', ''])
        for (const { status, headers, text } of await bothWays(operator, 'GET', path)) {
          const [one] = await bothWays(operator, 'GET', path)
          assert.deepEqual(
            [status, headers['content-type'], text],
            [200, one?.headers['content-type'], one?.text],
            path,
          )
        }
    })

    it('are one in a request of absolute form', async () => {
      const { status, body } = await operator.raw('GET', `${new URL(panel.base).origin}${prefix}//api/v1/auth/me`)
      assert.deepEqual([status, Object.keys(body)], [200, Object.keys((await operator.get('/auth/me')).body)])
    })

    it('let nobody in: every endpoint answers a stranger the same', async () => {
      for (const { route } of panel.endpoints) {
        const [method = '', path = ''] = route.split(' ')
        const target = `api/v1${path.replaceAll(/\{\w+\}/g, '1')}`
        const [one, ...more] = await bothWays(panel.visitor(), method, target, method === 'GET' ? undefined : {})
        for (const { status, text } of more)
          assert.deepEqual([status, outcome(text)], [one?.status, outcome(one?.text ?? '')], route)
      }
    })

    it('take the CSRF header, and the scope of a token', async () => {
      const without = await operator.raw('POST', `${prefix}//api/v1/auth/logout`, {}, { csrf: false })
      assert.deepEqual([without.status, without.error.code], [403, 'CSRF_TOKEN_INVALID'])
      const { body } = await operator.post<{ text: string }>('/auth/tokens', { title: 'reads', scopes: ['read'] })
      const headers = { Authorization: `Bearer ${body.text}` }
      const refused = await panel.visitor().raw('POST', `${prefix}//api/v1/pools`, {}, { headers })
      assert.deepEqual([refused.status, refused.error.code], [403, 'SCOPE_MISSING'])
    })

    it('are counted together by the limit on guesses', async () => {
      const statuses: number[] = []
      for (const slashes of ['/', '//', '///', '/', '//', '///'])
        statuses.push(
          (await panel.visitor().raw('POST', `${prefix}${slashes}api/v1/auth/login`, { ...OPERATOR, password: 'x' }))
            .status,
        )
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    })

    it('leave the port of the panel to the panel', async () => {
      const rule = { bind_port: Number(new URL(panel.base).port), destination_address: '10.9.0.2' }
      for (const { status, error } of await bothWays(operator, 'POST', 'api/v1/routes', rule))
        assert.deepEqual([status, error.code], [409, 'PROTECTED_PORT'])
    })

    it('are one request under one idempotency key', async () => {
      const pool = { address_pool_title: 'One', cidr: '10.77.0.0/16', idempotency_key: 'k' }
      const made = await bothWays(operator, 'POST', 'api/v1/pools', pool)
      assert.deepEqual(
        made.map(({ status, text }) => [status, text]),
        made.map(() => [201, made[0]?.text]),
      )
    })

    it('are no part of what a page of another origin may send', async () => {
      for (const { status, error } of await bothWays(panel.visitor(), 'OPTIONS', 'api/v1/tunnels'))
        assert.deepEqual([status, error.code], [405, 'METHOD_NOT_ALLOWED'])
      const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' }
      const answer = await panel.visitor().raw('OPTIONS', `${prefix}//api/v1/tunnels`, undefined, { headers })
      assert.deepEqual([answer.status, answer.error.code], [403, 'ORIGIN_NOT_ALLOWED'])
    })

    for (const path of [
      '/api//v1/auth/me',
      '/api/v1//auth/me',
      '/api/v1/auth//me',
      '/api/v1/auth/me//',
      '//api',
      '//api/',
      '//api//v1/auth/me',
      '//api/v1/nothing',
      '/%2fapi/v1/auth/me',
      '/%2Fapi/v1/auth/me',
      '//%2fapi/v1/auth/me',
      '/api%2fv1/auth/me',
      '//api%2fv1/auth/me',
      '/./api/v1/auth/me',
      '//./api/v1/auth/me',
      '/.//api/v1/auth/me',
      '/tunnels/../api/v1/auth/me',
      '/%2e/api/v1/auth/me',
      '/\\api/v1/auth/me',
    ])
      it(`elsewhere stay as they are, so that ${path} is a 404 with the envelope, never the page`, async () => {
        for (const method of ['GET', 'POST']) {
          const { status, error } = await operator.raw(method, `${prefix}${path}`)
          assert.deepEqual([status, error.code], [404, 'NOT_FOUND'])
        }
      })
  })

describe('Slashes after the prefix of a panel that cannot start', () => {
  it('are one too, and the API is never answered with the page', async () => {
    const faults = () => [{ component: 'database', reason: 'damaged', sentences: [verbatim('It is damaged')] }] as const
    const app = standInApp({
      web_path: 'here',
      trusted_proxies: [],
      faults,
      now: () => new Date(),
      inLanguage: ({ message }) => message,
    })
    const server = express().use(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const visitor = new Client(`http://127.0.0.1:${port}/here/`)
    const types: (readonly [string, number, unknown])[] = []
    for (const path of ['//api/v1/system/health', '//api/v1/tunnels', '/%2fapi/v1/tunnels', '//tunnels']) {
      const { status, headers } = await visitor.raw('GET', `/here${path}`)
      types.push([path, status, headers['content-type']])
    }
    server.close()
    assert.deepEqual(types, [
      ['//api/v1/system/health', 200, 'application/json; charset=utf-8'],
      ['//api/v1/tunnels', 503, 'application/json; charset=utf-8'],
      ['/%2fapi/v1/tunnels', 503, 'application/json; charset=utf-8'],
      ['//tunnels', 503, 'text/html; charset=utf-8'],
    ])
  })
})

const outcome = (text: string): unknown => (JSON.parse(text) as { error?: { code: string } }).error?.code ?? 'served'
