// The API description: every rule that reference.md has about it (decisions.md, T16, T22, W20).
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { ApiDescription } from '@panel/web-daemon/features/docs/document.ts'
import { query } from './support/declare.ts'
import { TAGS } from '@panel/web-daemon/platform/http/endpoint.ts'
import { shape } from '@panel/shared/api/base/shapes.ts'
import { Type, type TSchema } from '@panel/shared/schema.ts'
import { VERSION } from '@panel/web-daemon/platform/version.ts'
import { docsOf, METHODS, operationsOf, resolved, schemaIn } from './support/description.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

describe('The API description', () => {
  let panel: TestPanel
  let document: ApiDescription
  before(async () => {
    panel = await startPanel({ web_path: 'secret-place' })
    const before = await docsOf(panel.visitor())
    assert.deepEqual([before.status, before.error.code], [503, 'SETUP_REQUIRED'])
    const { status, headers, body } = await docsOf(await panel.setUp())
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
    document = body
  })
  after(() => panel.close())

  it('is 503 before set-up, 401 without a session, and the same with a slash at its end', async () => {
    for (const path of ['api/docs', 'api/docs/']) {
      const stranger = await docsOf(panel.visitor(), path)
      assert.deepEqual([stranger.status, stranger.error.code, stranger.error.details], [401, 'UNAUTHENTICATED', {}])
      assert.deepEqual((await docsOf(await panel.signIn(), path)).body, document)
    }
    const { status, headers } = await (await panel.signIn()).raw('POST', '/secret-place/api/docs', {})
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'])
  })

  it('is valid OpenAPI 3.0.3 to another validator', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
    assert.ok(valid, JSON.stringify(errors, null, 1))
    assert.equal(document.openapi, '3.0.3')
  })

  it('has a title, the version of the build, and the prefix with a slash as its one server', () => {
    assert.deepEqual([document.info.title, document.info.version], ['Tunnel and Port-Forwarding Panel', VERSION])
    assert.deepEqual(document.servers, [{ url: '/secret-place/' }])
  })

  it('has exactly the operations that the router serves', () => {
    const routed = panel.app.router.stack
      .flatMap(({ route }) => (route && route.path.startsWith('/api/v1/') ? [route] : []))
      .flatMap(({ path, stack }) =>
        stack.filter(({ method }) => method).map(({ method }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
      )
    assert.deepEqual(
      operationsOf(document)
        .map(({ path, method }) => `${method} ${path}`)
        .sort(),
      routed.sort(),
    )
    for (const { method } of operationsOf(document)) assert.ok((METHODS as readonly string[]).includes(method))
  })

  it('has none that is not served: each answers something else than 404 and 405 to a stranger', async () => {
    const stranger = panel.visitor()
    for (const { path, method } of operationsOf(document)) {
      const { status } = await stranger.raw(
        method.toUpperCase(),
        `/secret-place${path.replaceAll(/\{\w+\}/g, '1')}`,
        method === 'get' ? undefined : {},
      )
      assert.ok(![404, 405].includes(status), `${method} ${path}: ${status}`)
    }
  })

  it('names each operation after its method and path, and no two alike', () => {
    const operations = operationsOf(document)
    for (const { path, method, operation } of operations) {
      assert.equal(
        operation.operationId,
        `${method}_${path.replace('/api/v1/', '').replaceAll('/', '_').replaceAll('-', '_').replaceAll(/[{}]/g, '')}`,
      )
    }
    assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
    assert.equal(
      document.paths['/api/v1/tunnels/{id}/monitor/enable']?.post?.operationId,
      'post_tunnels_id_monitor_enable',
    )
    assert.equal(document.paths['/api/v1/tunnels/{id}/pairing-code']?.get?.operationId, 'get_tunnels_id_pairing_code')
  })

  it('declares every name in a path as a required integer of 64 bits, in the path', () => {
    for (const { path, operation } of operationsOf(document)) {
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path')
      assert.deepEqual(
        declared.map(({ name }) => name),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      )
      for (const { required, schema } of declared)
        assert.deepEqual([required, schema['type'], schema['format']], [true, 'integer', 'int64'])
    }
  })

  it('has its tags sorted by name, and each operation under one of them', () => {
    const names = document.tags.map(({ name }) => name)
    assert.deepEqual(names, [
      'audit',
      'auth',
      'backup',
      'desired',
      'diagnostics',
      'impact',
      'metrics',
      'monitor',
      'networks',
      'other',
      'pools',
      'reconcile',
      'revisions',
      'routes',
      'settings',
      'system',
      'traffic',
      'tunnels',
      'webhooks',
    ])
    for (const { operation } of operationsOf(document)) assert.ok(operation.tags.every((tag) => names.includes(tag)))
    assert.deepEqual([...TAGS].sort(), names)
  })

  it('has the components Error and Warning, and the session in the cookie that sign-in sets, for all operations', async () => {
    const { schemas, securitySchemes } = document.components
    for (const name of ['Error', 'Warning']) assert.ok(Object.hasOwn(schemas, name), name)
    const { code: _codes, ...rest } = (
      schemas['Error'] as {
        properties: { error: { properties: Record<string, { type: string }>; required: string[] } }
      }
    ).properties.error.properties
    assert.deepEqual(Object.fromEntries(Object.entries(rest).map(([name, { type }]) => [name, type])), {
      message: 'string',
      field: 'string',
      details: 'object',
    })
    assert.deepEqual(schemas['Warning']?.['required'], ['code', 'message', 'message_id', 'params', 'field'])
    const { in: where, type, name } = securitySchemes['session'] as { in: string; type: string; name: string }
    assert.deepEqual([type, where], ['apiKey', 'cookie'])
    const client = await panel.signIn()
    for (const cookie of [...client.cookies.keys()].filter((one) => one !== name)) client.cookies.delete(cookie)
    assert.equal((await client.get('/auth/me')).status, 200)
    assert.deepEqual(document.security, [{ session: [] }])
    for (const { operation } of operationsOf(document)) assert.deepEqual(operation.security[0], { session: [] })
  })

  it('lacks no description: summary, section, and what each operation answers', () => {
    for (const { path, method, operation } of operationsOf(document)) {
      assert.ok(operation.summary.length > 5 && operation.summary !== 'Undocumented endpoint', `${method} ${path}`)
      assert.notDeepEqual(operation.tags, ['other'], `${method} ${path}`)
      const [[type, { schema, 'x-events': events }] = ['', { schema: {} }]] = Object.entries(
        resolved(document, operation.responses[200]).content,
      )
      if (type === 'text/event-stream') assert.ok(Object.keys(events ?? {}).length > 0, `${method} ${path}`)
      else assert.ok(Object.keys(schemaIn(document, schema)['properties'] as object).length > 0, `${method} ${path}`)
    }
  })

  it('describes bodies by what they are checked against, without our own notes', () => {
    const { requestBody } = document.paths['/api/v1/tunnels']?.post ?? {}
    const schema = schemaIn(document, requestBody?.content['application/json']?.schema ?? {}) as {
      required: string[]
      additionalProperties: boolean
      properties: Record<string, Record<string, unknown>>
    }
    assert.deepEqual(
      [requestBody?.required, schema.required, schema.additionalProperties],
      [true, ['local_endpoint'], false],
    )
    assert.deepEqual(schema.properties['mtu'], {
      type: 'integer',
      minimum: 576,
      maximum: 9216,
      description: schema.properties['mtu']?.['description'],
    })
    assert.equal(schema.properties['ikey']?.['nullable'], true)
    assert.equal(document.paths['/api/v1/tunnels/{id}/up']?.post?.requestBody?.required, false)
    assert.ok(!/"(x-code|x-message|x-secret|const|\$id)":|"exclusiveM\w+":\d/.test(JSON.stringify(document)))
  })

  it('describes streams as text/event-stream, with the data of each event', () => {
    const events = (path: string, method: 'get' | 'post'): string[] =>
      Object.keys(
        resolved(document, document.paths[`/api/v1${path}`]?.[method]?.responses[200]).content['text/event-stream']?.[
          'x-events'
        ] ?? {},
      )
    assert.deepEqual(events('/monitor/stream', 'get'), [
      'summary',
      'tunnel',
      'tunnel_deleted',
      'reconcile',
      'route',
      'heal',
      'safe_apply',
    ])
    assert.deepEqual(events('/system/metrics/stream', 'get'), ['metrics'])
    assert.deepEqual(events('/tunnels/{id}/diagnostics/ping', 'post'), ['run', 'packet', 'summary', 'error'])
  })

  it('describes what a query may say, and the header that a change takes', () => {
    const parameters = (path: string, method: (typeof METHODS)[number]): string[] =>
      (document.paths[`/api/v1${path}`]?.[method]?.parameters ?? []).map(
        (one) => `${one.in} ${one.name}${one.required ? ' !' : ''}`,
      )
    assert.deepEqual(
      parameters('/tunnels', 'get'),
      ['limit', 'offset', 'search', 'is_enabled', 'tunnel_type_id', 'state'].map((name) => `query ${name}`),
    )
    assert.deepEqual(parameters('/tunnels/{id}/history', 'get'), [
      'path id !',
      'query from',
      'query to',
      'query resolution_seconds',
      'query limit',
    ])
    assert.deepEqual(
      document.paths['/api/v1/tunnels/{id}/counters']?.get?.parameters.find(({ name }) => name === 'sample_seconds')
        ?.schema,
      { type: 'number', minimum: 0.1, maximum: 30 },
    )
    assert.deepEqual(parameters('/tunnels', 'post'), [
      'header X-CSRF-Token !',
      'header Idempotency-Key',
      'header X-Confirm-Within',
      'header X-Window',
    ])
    assert.deepEqual(parameters('/auth/login', 'post'), [])
  })
})

describe('The API description of other endpoints', () => {
  let panel: TestPanel
  afterEach(() => panel.close())

  it('has a route that nobody described as undocumented, under other', async () => {
    panel = await startPanel({
      extra_endpoints: [query('GET /widgets/{widget_id}/odd-parts', {}, async () => ({ status: 200, body: {} }))],
    })
    const { body } = await docsOf(await panel.setUp())
    const operation = body.paths['/api/v1/widgets/{widget_id}/odd-parts']?.get
    assert.deepEqual(
      [operation?.summary, operation?.tags, operation?.operationId],
      ['Undocumented endpoint', ['other'], 'get_widgets_widget_id_odd_parts'],
    )
    assert.deepEqual(
      operation?.parameters.map(({ name }) => name),
      ['widget_id'],
    )
    assert.ok((await new Validator().validate({ ...structuredClone(body) })).valid)
    assert.deepEqual(body.servers, [{ url: '/' }])
  })

  const failing: [why: string, schemas: TSchema[], logged: string][] = [
    ['a schema cannot be expressed', [Type.Object({}, { propertyNames: { minLength: 3 } })], 'propertyNames'],
    [
      'two schemas have one title',
      [shape('Widget', { a: Type.String() }), shape('Widget', { a: Type.Integer() })],
      'Two schemas have the title Widget',
    ],
  ]
  for (const [why, schemas, logged] of failing)
    it(`is 500 with the error envelope where it cannot be built because ${why}, and the panel goes on`, async () => {
      panel = await startPanel({
        extra_endpoints: schemas.map((answer, at) =>
          query(`GET /widgets/${at}`, { answer }, async () => ({ status: 200, body: {} })),
        ),
      })
      const operator = await panel.setUp()
      const { status, error } = await docsOf(operator)
      assert.deepEqual([status, error.code, error.field, error.details], [500, 'INTERNAL_ERROR', '', {}])
      assert.ok(panel.log.some((line) => line.includes(logged)))
      assert.equal((await operator.get('/auth/me')).status, 200)
    })
})
