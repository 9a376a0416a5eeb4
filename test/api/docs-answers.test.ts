// The check that holds every answer of the API tests against the description can fail, and says where.
import assert from 'node:assert/strict'
import { strict, Type } from '@panel/shared/schema.ts'
import { Instant, list, shape } from '@panel/shared/api/base/shapes.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { query, command, stream } from './support/declare.ts'
import { created, ok, type Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { serializeEvent } from '@panel/web-daemon/platform/http/stream.ts'
import { answerCheck } from './support/answer-check.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'

const Widget = shape('Widget', { parts: list(strict({ weight: Type.Integer({ minimum: 0 }) })), made_at: Instant })
const right = { parts: [{ weight: 1 }], made_at: '2026-01-31T12:00:00.000Z' }

/** The answers that a test wishes, in turn. */
const answers: unknown[] = []
const endpoints: Endpoint[] = [
  query('GET /widgets', { answer: Widget }, async () => ok(answers.shift())),
  command('POST /widgets', { answer: Widget, statuses: [201], audit: 'Setup' }, async () => created(answers.shift())),
  query('GET /widgets/refused', { answer: Widget, statuses: [409] }, async () => {
    throw new Refusal('CONFLICT', verbatim('It is not to be'), { details: answers.shift() as Record<string, unknown> })
  }),
  stream('GET /widgets/stream', { events: { widget: Widget } }, async () => (subscriber) => {
    subscriber.send(serializeEvent('widget', right))
    subscriber.end()
    return () => undefined
  }),
]

describe('Each answer of the API tests is held against the API description, which', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ extra_endpoints: endpoints })
    operator = await panel.setUp()
  })
  after(() => panel.close())

  it('lets through what is described, 201 like 200', async () => {
    answers.push(right, right)
    assert.equal((await operator.get('/widgets')).status, 200)
    assert.equal((await operator.post('/widgets')).status, 201)
  })

  const wrong: [what: string, answer: unknown, where: RegExp][] = [
    ['a field that is missing', { parts: [] }, /GET \/widgets.* must have required property 'made_at'/s],
    ['a field that nobody described', { ...right, more: 1 }, /must NOT have additional properties/],
    ['another type, deep inside', { ...right, parts: [{ weight: '1' }] }, /body\/parts\/0\/weight must be integer/],
    ['null where it is not said', { ...right, parts: null }, /body\/parts must be array/],
    ['an instant of another form', { ...right, made_at: '2026-01-31 12:00' }, /body\/made_at must match/],
  ]
  for (const [what, answer, where] of wrong) {
    it(`fails on ${what}`, async () => {
      answers.push(answer, answer)
      await assert.rejects(operator.get('/widgets'), where)
      await assert.rejects(operator.post('/widgets'), /is not as the API description says/)
    })
  }

  it('fails on a status that the endpoint does not have, of an answer and of a refusal', async () => {
    const check = answerCheck(endpoints, '')
    const text = JSON.stringify({ error: { code: 'CONFLICT', message: 'No', field: '', details: {} } })
    const sent = (method: string, status: number) => () =>
      check.answer(method, '/api/v1/widgets', {
        status,
        headers: {},
        text: status < 400 ? JSON.stringify(right) : text,
      })
    assert.throws(sent('GET', 409), /its answer with 409, is a status that the API description of GET \/widgets/)
    assert.throws(sent('GET', 201), /its answer with 201, is a status/)
    sent('POST', 201)()
    assert.throws(sent('POST', 404), /its answer with 404, is a status that the API description of POST \/widgets/)
  })

  it('fails on an error that is no envelope, and on one whose code has another status', async () => {
    answers.push([])
    await assert.rejects(operator.get('/widgets/refused'), /body\/error\/details must be object/)
    const check = answerCheck(endpoints, '')
    const text = JSON.stringify({ error: { code: 'CONFLICT', message: 'No', field: '', details: {} } })
    check.answer('GET', '/api/v1/widgets/refused', { status: 409, headers: {}, text })
    assert.throws(
      () => check.answer('GET', '/api/v1/widgets/refused', { status: 422, headers: {}, text }),
      /says CONFLICT/,
    )
  })

  it('fails on an event that is not as described, and on one of another name', () => {
    const check = answerCheck(endpoints, '')
    check.event('GET', '/api/v1/widgets/stream', 'widget', right)
    assert.throws(
      () => check.event('GET', '/api/v1/widgets/stream', 'widget', { ...right, parts: 1 }),
      /body\/parts must be array/,
    )
    assert.throws(() => check.event('GET', '/api/v1/widgets/stream', 'gadget', right), /knows no event gadget/)
  })
})
