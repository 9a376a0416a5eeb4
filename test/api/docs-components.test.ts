// The components of the API description, and the statuses of each operation (reference.md, API description 5 to 7;
// decisions.md, T16, W25).
import assert from 'node:assert/strict'
import type { ApiDescription } from '@panel/web-daemon/features/docs/document.ts'
import type { Content } from '@panel/web-daemon/features/docs/responses.ts'
import { docsOf, type Method, operationsOf, resolved } from './support/description.ts'
import { startPanel } from './support/panel.ts'

describe('The API description, in its components and statuses,', () => {
  let document: ApiDescription
  before(async () => {
    const panel = await startPanel()
    document = (await docsOf(await panel.setUp())).body
    await panel.close()
  })

  it('documents 200, 401, 422 and 503 of each operation, and every refusal as the error envelope', () => {
    for (const { path, operation } of operationsOf(document)) {
      const { responses } = operation
      for (const status of [200, 401, 422, 503]) assert.ok(status in responses, `${path}: ${status}`)
      for (const [status, response] of Object.entries(responses).filter(([one]) => Number(one) >= 400))
        assert.deepEqual(
          resolved(document, response).content['application/json']?.schema,
          { $ref: '#/components/schemas/Error' },
          `${path}: ${status}`,
        )
    }
  })

  it('documents 201 of what creates, 404 of what has an id in its path, 409 of what changes the host, 412 of what takes If-Match', () => {
    const statuses = (path: string, method: Method): string =>
      Object.keys(document.paths[`/api/v1${path}`]?.[method]?.responses ?? {}).join(' ')
    assert.equal(statuses('/tunnels', 'post'), '200 201 400 401 403 409 413 422 429 500 503')
    assert.equal(statuses('/tunnels', 'get'), '200 400 401 403 422 429 500 503')
    assert.equal(statuses('/tunnels/{id}', 'get'), '200 400 401 403 404 422 429 500 503')
    assert.equal(statuses('/tunnels/{id}', 'patch'), '200 400 401 403 404 409 412 413 422 429 500 503')
    assert.equal(statuses('/auth/setup', 'post'), '200 201 400 401 403 409 413 422 429 500 503')
    for (const { path, operation } of operationsOf(document)) {
      const { 200: ok, 201: created } = operation.responses
      if (created && ok) assert.deepEqual(resolved(document, created).content, resolved(document, ok).content, path)
    }
  })

  it('has each schema with a title once, among the components, and refers to it everywhere else', () => {
    const titles: string[] = []
    JSON.stringify(document.components, (name, value: unknown) => {
      if (name === 'title' && typeof value === 'string') titles.push(value)
      return value
    })
    assert.deepEqual(titles.sort(), Object.keys(document.components.schemas))
    for (const [title, schema] of Object.entries(document.components.schemas)) assert.equal(schema['title'], title)
    assert.ok(!JSON.stringify(document.paths).includes('"title"'))
  })

  it('refers to nothing that is not among its components, and has no component that nothing refers to', () => {
    const referred = new Set(JSON.stringify(document).match(/#\/components\/\w+\/\w+/g))
    const { schemas, responses } = document.components
    const components = Object.entries({ schemas, responses }).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `#/components/${kind}/${name}`),
    )
    assert.deepEqual([...referred].sort(), components.sort())
  })

  it('names every body that an operation takes or answers, so that the types of a generated client have names', () => {
    const named = (content: Content = {}): unknown => content['application/json']?.schema['$ref'] ?? null
    for (const { path, method, operation } of operationsOf(document)) {
      const { requestBody, responses } = operation
      if (requestBody)
        assert.match(String(named(requestBody.content)), /^#\/components\/schemas\//, `${method} ${path}`)
      const { content } = resolved(document, responses[200])
      if (!content['text/event-stream'])
        assert.match(String(named(content)), /^#\/components\/schemas\//, `${method} ${path}`)
    }
  })
})
