// The web path prefix, the app page, and what every answer carries (reference.md: Addressing; Authentication 8).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ENDPOINTS } from '@panel/shared/api/endpoints.ts'
import { endpointMethod, expressPath, endpointPath } from '@panel/web-daemon/platform/http/routes.ts'
import { PAGE_DIR, startPanel, type TestPanel } from './support/panel.ts'

const PREFIX = '/Secret.path'
/** The first file of the page that runs. */
const SCRIPT = readdirSync(join(PAGE_DIR, 'assets')).find((name) => /^index-.*\.js$/.test(name)) ?? ''

describe('the web path prefix', () => {
  let panel: TestPanel
  before(async () => (panel = await startPanel({ web_path: PREFIX.slice(1), page_dir: PAGE_DIR })))
  after(() => panel.close())

  const outside = [
    '/',
    '/api/v1/system/health',
    '/secret.path/',
    `${PREFIX}x`,
    `${PREFIX}x/`,
    '/other/',
    '/%53ecret.path/',
    `/${PREFIX}/`,
    `/assets/${SCRIPT}`,
    '//',
    `//${PREFIX.slice(1)}/`,
    `/.${PREFIX}/`,
    `/..${PREFIX}/`,
    `/%2e%2e${PREFIX}/`,
    `/x/..${PREFIX}/`,
    `${PREFIX}%2f`,
    `${PREFIX}%00/`,
    `${PREFIX};a=1/`,
    `/\\${PREFIX}/`,
    `http://panel.example/..${PREFIX}/`,
    `http://panel.example//${PREFIX}/`,
  ]
  for (const target of outside) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      it(`answers ${method} ${target}, which is outside it, with a bare 404`, async () => {
        const { status, headers, text } = await panel.visitor().raw(method, target)
        assert.equal(status, 404)
        assert.equal(text, '')
        assert.deepEqual(Object.keys(headers).sort(), ['connection', 'content-length', 'date'])
        assert.equal(headers['content-length'], '0')
      })
    }
  }

  it('answers OPTIONS * outside it too', async () => {
    assert.equal((await panel.visitor().raw('OPTIONS', '*')).status, 404)
  })

  it('is redirected to with a trailing slash, the query kept', async () => {
    for (const method of ['GET', 'HEAD']) {
      const plain = await panel.visitor().raw(method, PREFIX)
      assert.deepEqual([plain.status, plain.headers.location, plain.text], [301, `${PREFIX}/`, ''])
      assert.equal((await panel.visitor().raw(method, `${PREFIX}?a=1&b=/`)).headers.location, `${PREFIX}/?a=1&b=/`)
    }
  })

  it('holds the API and the app', async () => {
    assert.equal((await panel.visitor().raw('GET', `${PREFIX}/api/v1/system/health`)).status, 200)
    assert.match((await panel.visitor().raw('GET', `${PREFIX}/`)).text, /^<!doctype html>/)
  })

  it('is found in a request of absolute form', async () => {
    assert.equal((await panel.visitor().raw('GET', `http://panel${PREFIX}/api/v1/system/health`)).status, 200)
    assert.equal((await panel.visitor().raw('GET', 'http://panel')).status, 404)
  })

  it('is injected into the page by an inline script whose hash the policy names', async () => {
    const { text, headers } = await panel.visitor().raw('GET', `${PREFIX}/tunnels/7/diagnostics`)
    const script = /<script>([^<]*)<\/script>/.exec(text)?.[1] ?? ''
    assert.equal(script, `window.__PANEL__={"base_path":"${PREFIX}/","api_base_path":"${PREFIX}/api/v1"}`)
    const policy = String(headers['content-security-policy'])
    assert.ok(policy.includes(`'sha256-${createHash('sha256').update(script).digest('base64')}'`))
    assert.ok(!policy.includes('unsafe-inline'))
    assert.ok(policy.includes("frame-ancestors 'none'"))
  })

  it('is written into the addresses of the files of the page, which are there', async () => {
    const { text } = await panel.visitor().raw('GET', `${PREFIX}/`)
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map((match) => String(match[1]))
      .filter((path) => path.startsWith('/'))
    for (const kind of ['.js', '.css'])
      assert.ok(
        files.some((file) => file.startsWith(`${PREFIX}/assets/`) && file.endsWith(kind)),
        `no ${kind} among ${files.join(' ')}`,
      )
    for (const file of files) assert.equal((await panel.visitor().raw('GET', file)).status, 200, file)
  })
})

describe('without a prefix', () => {
  let panel: TestPanel
  before(async () => (panel = await startPanel({ page_dir: PAGE_DIR })))
  after(() => panel.close())

  it('the API is at the root', async () => {
    assert.equal((await panel.visitor().raw('GET', '/api/v1/system/health')).status, 200)
  })

  for (const path of [
    '/',
    '/tunnels',
    '/tunnels/3/diagnostics',
    '/index.html',
    '/routes?state=down',
    '/API/v1',
    '/apis',
    '/%zz',
  ]) {
    it(`${path} is the app page, before set-up as well, and is not stored`, async () => {
      const { status, headers, text } = await panel.visitor().raw('GET', path)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(text, /window\.__PANEL__=\{"base_path":"\/","api_base_path":"\/api\/v1"\}/)
    })
  }

  for (const path of [
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nothing',
    '/api/v2/tunnels',
    '/api/v1/system/health/',
    '/api/v1/System/health',
    '/api/v1//system/health',
    '/api/v1/./system/health',
    '/api/v1/tunnels/../system/health',
    '/api/v1/%2e%2e/v1/system/health',
    '/api/v1/system%2fhealth',
    '/api/v1/system/health%00',
    '/api/v1/system/health;a=1',
    '/api/v1/tunnels/..%2f..%2fsystem%2fhealth',
    '/api/v1/tunnels/1%00',
    '/api/v1/tunnels/%zz',
    '/api/\\v1/system/health',
  ]) {
    it(`${path} is unknown under the API: 404 with the envelope`, async () => {
      for (const method of ['GET', 'POST']) {
        const { status, error } = await panel.visitor().raw(method, path)
        assert.deepEqual([status, error.code], [404, 'NOT_FOUND'])
      }
    })
  }

  it('a file of the page is served as it is, and one that is not there is 404, wherever its path leads', async () => {
    const { status, headers, text } = await panel.visitor().raw('GET', `/assets/${SCRIPT}`)
    assert.deepEqual([status, headers['content-type']], [200, 'text/javascript; charset=utf-8'])
    assert.equal(text, readFileSync(join(PAGE_DIR, 'assets', SCRIPT), 'utf8'))
    for (const path of [
      '/assets/none.js',
      '/assets/',
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/..%2f..%2fpackage.json',
      `/assets//${SCRIPT}`,
    ]) {
      const missing = await panel.visitor().raw('GET', path)
      assert.deepEqual([path, missing.status, missing.error.code], [path, 404, 'NOT_FOUND'])
    }
  })

  it('the page takes no other method than GET and HEAD', async () => {
    const { status, headers, error } = await panel.visitor().raw('POST', '/tunnels')
    assert.deepEqual([status, error.code, headers.allow], [405, 'METHOD_NOT_ALLOWED', 'GET, HEAD'])
  })

  it('HEAD is served like GET, without the body', async () => {
    for (const path of ['/', '/api/v1/system/health', `/assets/${SCRIPT}`, '/api/v1/nothing']) {
      const [got, headed] = [await panel.visitor().raw('GET', path), await panel.visitor().raw('HEAD', path)]
      assert.deepEqual(
        [headed.status, headed.text, headed.headers['content-type']],
        [got.status, '', got.headers['content-type']],
      )
      assert.ok(Number(headed.headers['content-length']) > 0, path)
    }
  })

  it('every answer of the API carries the security headers, errors too', async () => {
    for (const path of ['/api/v1/system/health', '/api/v1/nothing', '/api/v1/auth/me']) {
      const { headers } = await panel.visitor().raw('GET', path)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['cache-control'], 'no-store')
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
      for (const absent of ['strict-transport-security', 'server', 'x-powered-by', 'etag'])
        assert.equal(headers[absent], undefined, absent)
    }
  })

  it('X-Request-Id is taken from the caller where it is harmless, and made here otherwise', async () => {
    const request = async (id?: string): Promise<unknown> =>
      (await panel.visitor().get('/system/health', id === undefined ? {} : { headers: { 'X-Request-Id': id } }))
        .headers['x-request-id']
    assert.equal(await request('abc-1.2_3'), 'abc-1.2_3')
    for (const id of [undefined, 'x'.repeat(65), 'a b', '<script>'])
      assert.match(String(await request(id)), /^[A-Za-z0-9_-]{12}$/)
  })

  it('a malformed request line ends the connection and not the panel', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(panel.base).port), '127.0.0.1', () => socket.end('NONSENSE\r\n\r\n'))
      socket.on('data', (chunk) => resolve(String(chunk)))
      socket.on('error', reject)
    })
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.equal((await panel.visitor().get('/system/health')).status, 200)
  })
})

describe('the router', () => {
  let panel: TestPanel
  before(async () => (panel = await startPanel({ page_dir: PAGE_DIR })))
  after(() => panel.close())

  it('serves exactly the endpoints of the table, no more and no fewer', () => {
    assert.deepEqual(panel.endpoints.map(({ route }) => route).sort(), Object.keys(ENDPOINTS).sort())
    const routed = panel.app.router.stack
      .flatMap(({ route }) => (route ? [route] : []))
      .flatMap((route) =>
        route.stack.filter((layer) => layer.method).map((layer) => `${layer.method.toUpperCase()} ${route.path}`),
      )
    const listed = panel.endpoints.map(
      (endpoint) => `${endpointMethod(endpoint)} ${expressPath(endpointPath(endpoint))}`,
    )
    assert.deepEqual(routed.sort(), [...listed, 'GET /api/docs', 'GET /api/docs/'].sort())
    assert.equal(new Set(listed).size, listed.length, 'an endpoint is listed twice')
  })

  it('answers a known path with a wrong method by 405 and the methods that it has', async () => {
    const { status, headers, error } = await panel.visitor().api('PATCH', '/auth/me')
    assert.deepEqual([status, error.code, headers.allow], [405, 'METHOD_NOT_ALLOWED', 'GET, HEAD, PUT'])
    assert.equal((await panel.visitor().api('OPTIONS', '/auth/login')).headers.allow, 'POST')
    assert.equal((await panel.visitor().api('GET', '/auth/login')).status, 405)
  })
})
