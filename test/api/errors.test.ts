// The error envelope and what is refused before a feature sees it (reference.md: Error envelope, Errors; decisions.md,
// W4 to W13, T9).
import assert from 'node:assert/strict'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { probeEndpoints } from './support/probe-endpoints.ts'

type Fields = { fields: { field: string; code: string; message: string }[] }

describe('an error', () => {
  let panel: TestPanel
  let operator: Client
  const { endpoints, made } = probeEndpoints()
  before(async () => {
    panel = await startPanel({ extra_endpoints: endpoints })
    operator = await panel.setUp()
  })
  after(() => panel.close())

  const refused = async (
    reply: Promise<{ status: number; error: ErrorEnvelope['error'] }>,
    status: number,
    code: string,
  ): Promise<ErrorEnvelope['error']> => {
    const { status: answered, error } = await reply
    assert.deepEqual([answered, error.code], [status, code])
    return error
  }

  it('has exactly four fields under the one key, as JSON in UTF-8, with a sentence that begins with a capital letter', async () => {
    const replies = [
      operator.get('/nothing'),
      operator.post('/widgets', { nom: 1 }),
      operator.delete('/widgets/1'),
      operator.post('/widgets', {}, { csrf: false }),
      panel.visitor().get('/auth/me'),
    ]
    for (const { text, headers, error } of await Promise.all(replies)) {
      assert.deepEqual(Object.keys(JSON.parse(text) as object), ['error'])
      assert.deepEqual(Object.keys(error).sort(), ['code', 'details', 'field', 'message'])
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.match(error.message, /^[A-Z]/)
      assert.equal(typeof error.field, 'string')
      assert.ok(typeof error.details === 'object' && error.details !== null)
    }
  })

  it('says in a header what another language is made from, and beside each of its fields', async () => {
    const { headers } = await panel.visitor().get('/auth/me')
    assert.equal(headers['x-message'], '{"message_id":"panel.sign_in","params":{}}')
    const { error } = await operator.post('/widgets', { name: 'a', mtu: 1 })
    const [mtu] = error.details['fields'] as Record<string, unknown>[]
    assert.deepEqual(mtu?.['message_id'], 'input.whole')
    assert.deepEqual(mtu?.['params'], { field: 'mtu', minimum: 68, maximum: 9000 })
  })

  it('of an unforeseen kind is 500 and tells nothing of the inside, while the log has it under the id of the request', async () => {
    const { status, text, error, headers } = await operator.delete('/widgets/1')
    assert.deepEqual([status, error.code, error.details], [500, 'INTERNAL_ERROR', {}])
    assert.ok(!text.includes('secret of the inside'))
    assert.ok(
      panel.log.some(
        (line) => line.includes('a secret of the inside') && line.includes(String(headers['x-request-id'])),
      ),
    )
  })

  it('is 400 for a body that is not a JSON object', async () => {
    const bodies: (string | Uint8Array)[] = [
      '{',
      '{"name":"a"',
      'null',
      '[]',
      '"text"',
      '5',
      'name=a',
      '\u0000',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    ]
    for (const raw of bodies) {
      const error = await refused(operator.post('/widgets', undefined, { raw }), 400, 'INVALID_REQUEST')
      assert.equal(error.field, '')
    }
  })

  it('is 400 for a body of another content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
      await refused(
        operator.post('/widgets', undefined, { raw: '{"name":"a"}', headers: { 'Content-Type': type } }),
        400,
        'INVALID_REQUEST',
      )
    }
    await refused(
      operator.post('/widgets', undefined, { raw: '{"name":"a"}', headers: { 'Content-Encoding': 'gzip' } }),
      400,
      'INVALID_REQUEST',
    )
  })

  it('is 413 for a body above 1 MiB, announced or not', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })
    await refused(operator.post('/widgets', undefined, { raw: big }), 413, 'PAYLOAD_TOO_LARGE')
    await refused(operator.post('/widgets', undefined, { raw: big, isChunked: true }), 413, 'PAYLOAD_TOO_LARGE')
  })

  it('names every wrong field at once, each with its own message, in the order of the schema and the unknown ones last', async () => {
    const body = {
      extra: 1,
      colour: 'green',
      mtu: 9001,
      is_enabled: 'yes',
      ttl: '7',
      parts: [{ address: 1 }, { address: 'a', weight: 10, size: 2 }],
    }
    const { field, message, details } = await refused(operator.post('/widgets', body), 422, 'VALIDATION_FAILED')
    assert.deepEqual([field, message], ['name', 'The field name is required: it is text of 1 to 10 characters'])
    const { fields, ...messages } = details as unknown as Fields & Record<string, string>
    assert.deepEqual(
      fields.map(({ field: name, code }) => [name, code]),
      [
        ['name', 'INVALID_VALUE'],
        ['mtu', 'INVALID_MTU'],
        ['ttl', 'INVALID_VALUE'],
        ['is_enabled', 'INVALID_VALUE'],
        ['colour', 'INVALID_VALUE'],
        ['parts.0.address', 'INVALID_VALUE'],
        ['parts.1.size', 'UNKNOWN_FIELD'],
        ['parts.1.weight', 'INVALID_VALUE'],
        ['extra', 'UNKNOWN_FIELD'],
      ],
    )
    assert.equal(messages['mtu'], 'mtu must be a whole number from 68 to 9000.')
    assert.equal(messages['ttl'], 'The field ttl must be a whole number from 0 to 255, or null')
    assert.equal(messages['colour'], 'The field colour must be one of red, blue')
    assert.equal(messages['is_enabled'], 'The field is_enabled must be true or false')
    assert.equal(messages['extra'], 'There is no field extra in this request')
    assert.equal(new Set(Object.values(messages)).size, 9)
  })

  it('never comes of a value being turned into another type', async () => {
    for (const body of [
      { name: 5 },
      { name: 'a', mtu: '1500' },
      { name: 'a', is_enabled: 1 },
      { name: 'a', mtu: 1500.5 },
      { name: null },
    ]) {
      await refused(operator.post('/widgets', body), 422, 'VALIDATION_FAILED')
    }
  })

  it('takes fields of an odd name for unknown ones', async () => {
    for (const raw of [
      '{"name":"a","__proto__":{"x":1}}',
      '{"name":"a","constructor":1}',
      '{"name":"a","":1}',
      '{"name":"a","a/b~c":1}',
      '{"name":"a","fields":1}',
    ]) {
      await refused(operator.post('/widgets', undefined, { raw }), 422, 'VALIDATION_FAILED')
    }
    const { field } = await refused(operator.post('/widgets', { name: 'a', 'a/b~c': 1 }), 422, 'VALIDATION_FAILED')
    assert.equal(field, 'a/b~c')
  })

  it('is bounded however many fields are wrong', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`unknown_${at}`, at]))
    const { text } = await operator.post('/widgets', { name: 'a', ...many })
    assert.ok(text.length < 50_000)
  })

  it('of a gathering endpoint holds what the schema found and what the handler adds', async () => {
    const { field, details } = await refused(
      operator.put('/widgets', { mtu: 1, name: 'a', more: 1 }),
      422,
      'VALIDATION_FAILED',
    )
    assert.equal(field, 'name')
    assert.deepEqual(
      (details as unknown as Fields).fields.map((p) => p.field),
      ['name', 'mtu', 'more'],
    )
  })

  it('is 422 for a body where none is taken', async () => {
    await refused(operator.post('/auth/logout', { all: true }), 422, 'VALIDATION_FAILED')
  })

  it('is 404 for an id that is no number', async () => {
    for (const id of ['abc', '1.5', '-1', '1%2f2', '1e3', '0x10', '%zz', '9'.repeat(16), '%20', '1%00']) {
      for (const method of ['GET', 'DELETE']) await refused(operator.api(method, `/widgets/${id}`), 404, 'NOT_FOUND')
    }
    assert.deepEqual((await operator.get('/widgets/12?a=1&a=2&b=%20')).body, {
      params: { id: 12 },
      query: { a: '2', b: ' ' },
    })
  })

  it('does not come between a literal path and an id', async () => {
    assert.deepEqual((await operator.get('/widgets/first')).body, { literal: true })
    assert.equal((await operator.delete('/widgets/first')).status, 405)
  })

  it('is not what an empty body gives where the body is optional', async () => {
    assert.equal((await operator.post('/widgets')).error.field, 'name')
    assert.equal((await operator.post('/widgets', undefined, { raw: '' })).error.field, 'name')
    assert.equal(
      (await operator.post('/widgets', undefined, { raw: '', headers: { 'Content-Type': '' } })).error.field,
      'name',
    )
  })

  it('is not what a preview gives, which is handed a context that cannot change anything', async () => {
    assert.deepEqual((await operator.post('/widgets/preview', { name: 'a' })).body, {
      body: { name: 'a' },
      can: ['api_path', 'db', 'now', 'request', 'settings'],
    })
  })

  describe('is kept from coming twice by an idempotency key', () => {
    it('in the header or the body: the first result again, and nothing created', async () => {
      const before = made.length
      const first = await operator.post('/widgets', { name: 'one' }, { headers: { 'Idempotency-Key': 'k1' } })
      const second = await operator.post('/widgets', { name: 'one', idempotency_key: 'k1' })
      assert.deepEqual([first.status, second.status], [201, 201])
      assert.equal(second.text, first.text)
      assert.equal(made.length, before + 1)
      assert.deepEqual(made.at(-1), { name: 'one' })
    })

    it('also when both are under way at once', async () => {
      const before = made.length
      const replies = await Promise.all(
        [1, 2, 3].map(() => operator.post('/widgets', { name: 'two', idempotency_key: 'k2' })),
      )
      assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
      assert.equal(made.length, before + 1)
    })

    it('but not after ten minutes, and not where the first was refused', async () => {
      const before = made.length
      await refused(operator.post('/widgets', { idempotency_key: 'k3' }), 422, 'VALIDATION_FAILED')
      assert.equal((await operator.post('/widgets', { name: 'three', idempotency_key: 'k3' })).status, 201)
      panel.clock.advance(10 * 60 + 1)
      assert.equal((await operator.post('/widgets', { name: 'three', idempotency_key: 'k3' })).status, 201)
      assert.equal(made.length, before + 2)
    })

    it('unless the key is no text of at most 255 characters', async () => {
      for (const idempotency_key of [5, null, {}, 'x'.repeat(256), 'ä']) {
        const { field } = await refused(
          operator.post('/widgets', { name: 'a', idempotency_key }),
          422,
          'VALIDATION_FAILED',
        )
        assert.equal(field, 'idempotency_key')
      }
    })
  })
})

describe('the guards stand in order', () => {
  let panel: TestPanel
  before(async () => (panel = await startPanel({ extra_endpoints: probeEndpoints().endpoints })))
  after(() => panel.close())

  const codeOf = async (client: Client, method: string, path: string, body?: unknown, csrf = true): Promise<string> =>
    (await client.api(method, path, body, { csrf })).error.code

  it('before set-up every endpoint but setup and health answers 503 SETUP_REQUIRED, whatever else is wrong', async () => {
    for (const { route } of panel.endpoints) {
      const [method = '', path = ''] = route.split(' ')
      const { status, text } = await panel.visitor().api(method, path.replaceAll(/\{\w+\}/g, '1'))
      if (path === '/system/health') assert.equal(status, 200)
      else if (path === '/auth/setup') assert.equal(status, 422)
      else assert.match(`${route} ${status} ${text}`, / 503 .*"SETUP_REQUIRED"/)
    }
  })

  it('but an unknown path is 404 and a wrong method 405 before that', async () => {
    assert.equal(await codeOf(panel.visitor(), 'GET', '/nothing'), 'NOT_FOUND')
    assert.equal(await codeOf(panel.visitor(), 'GET', '/widgets/abc'), 'NOT_FOUND')
    assert.equal(await codeOf(panel.visitor(), 'PATCH', '/auth/me'), 'METHOD_NOT_ALLOWED')
  })

  it('after set-up CSRF comes before the session, and the session before the body', async () => {
    const operator = await panel.setUp()
    const visitor = panel.visitor()
    assert.equal(await codeOf(visitor, 'GET', '/auth/me'), 'UNAUTHENTICATED')
    assert.equal(await codeOf(visitor, 'POST', '/widgets', { bad: 1 }), 'CSRF_TOKEN_INVALID')
    visitor.cookies.set('panel_csrf', 'anything')
    assert.equal(await codeOf(visitor, 'POST', '/widgets', { bad: 1 }), 'UNAUTHENTICATED')
    assert.equal(await codeOf(operator, 'POST', '/widgets', { bad: 1 }, false), 'CSRF_TOKEN_INVALID')
    assert.equal(await codeOf(operator, 'POST', '/widgets', { bad: 1 }), 'VALIDATION_FAILED')
  })

  it('every protected endpoint answers a stranger 401 on GET and 403 on the rest, with details that are not null', async () => {
    for (const { route, guards } of panel.endpoints.filter(({ guards: of }) => of?.session !== false)) {
      const [method = '', path = ''] = route.split(' ')
      const { status, error } = await panel.visitor().api(method, path.replaceAll(/\{\w+\}/g, '1'))
      assert.equal(guards, undefined)
      assert.deepEqual([route, status, error.details], [route, method === 'GET' ? 401 : 403, {}])
    }
  })
})
