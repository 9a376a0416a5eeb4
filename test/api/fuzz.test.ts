// Every operation of the API description against requests at random: never an unforeseen failure, never a hang, and
// never a change by what was refused.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { ApiDescription } from '@panel/web-daemon/features/docs/document.ts'
import { NOTHING_FORESEEN } from '@panel/shared/impact/foreseen.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { command, query } from './support/declare.ts'
import type { CommandContext } from '@panel/web-daemon/platform/context.ts'
import { ok, type Answer, type Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { repetitions } from '../support/counts.ts'
import { inlined } from './support/fuzz/inlined.ts'
import { requestTo, type Described, type FuzzRequest } from './support/fuzz/requests.ts'
import { Target } from './support/fuzz/target.ts'
import { startPanel } from './support/panel.ts'

const REQUESTS = repetitions('PANEL_FUZZ_REQUESTS')
/** The same requests in each run of the tier, so that what fails is what was changed; another seed sends others. */
const SEED = Number(process.env['PANEL_FUZZ_SEED'] ?? 2143533429)
/** After so many a new panel is taken, which has little in it and whose throttles are open. */
const ROUND = 500

async function described(): Promise<Described[]> {
  const panel = await startPanel()
  const operator = await panel.setUp()
  const { body } = await operator.raw<ApiDescription>('GET', '/api/docs')
  await panel.close()
  return Object.entries(inlined(body)).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
}

describe(`Requests at random (seed ${SEED})`, function () {
  const statuses = new Map<number, number>()
  const answered = new Map<string, number>()

  async function round(operations: readonly Described[], seed: number, count: number): Promise<void> {
    const requests = fc.sample(
      fc.oneof(...operations.map((one) => ({ weight: one.method === 'delete' ? 1 : 4, arbitrary: requestTo(one) }))),
      { numRuns: count, seed },
    )
    const target = await Target.open()
    try {
      for (const [at, request] of requests.entries()) {
        const { status } = await target.send(request).catch((failure: unknown) => {
          throw new Error(
            `PANEL_FUZZ_SEED=${seed} PANEL_FUZZ_REQUESTS=${count}, request ${at}: ${summary(request)}\n${failure instanceof Error ? failure.message : String(failure)}`,
          )
        })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status < 300) answered.set(request.operation, (answered.get(request.operation) ?? 0) + 1)
      }
    } finally {
      await target.close()
    }
  }

  it(`${REQUESTS} of them harm nothing`, async () => {
    const operations = await described()
    for (let sent = 0, seed = SEED; sent < REQUESTS; sent += ROUND, seed += 1)
      await round(operations, seed, Math.min(ROUND, REQUESTS - sent))
    const count = (least: number, most: number): number =>
      [...statuses].reduce((sum, [status, times]) => (status >= least && status <= most ? sum + times : sum), 0)
    assert.equal(count(100, 599), REQUESTS)
    // Requests that are all refused, or all of one kind, would prove little.
    const summary = JSON.stringify([
      Object.fromEntries([...statuses].sort()),
      operations
        .filter(({ operation }) => !answered.has(operation.operationId))
        .map(({ operation }) => operation.operationId),
    ])
    assert.ok(count(200, 299) > REQUESTS / 20 && count(422, 422) > REQUESTS / 10, summary)
    if (REQUESTS >= 3000) assert.ok(answered.size > operations.length / 2, summary)
    if (process.env['PANEL_FUZZ_REQUESTS'] !== undefined) console.log(summary)
  })
})

describe('The watch over requests at random', () => {
  const widget = (handle: (context: CommandContext) => Promise<Answer>): Endpoint =>
    command('POST /widgets', { audit: 'Setup', foresee: async () => NOTHING_FORESEEN }, handle)
  const refused = (): never => {
    throw new Refusal('CONFLICT', verbatim('It is not to be'))
  }
  const post: FuzzRequest = {
    operation: 'post_widgets',
    method: 'POST',
    target: '/api/v1/widgets',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
    isWithoutCsrf: false,
  }

  const caught: [what: string, endpoint: Endpoint, message: RegExp][] = [
    [
      'a failure that nobody foresaw',
      widget(async () => {
        throw new Error('of the inside')
      }),
      /an unforeseen failure: 500/,
    ],
    ['a request that is never answered', widget(() => new Promise(() => undefined)), /no answer within 500 ms/],
    [
      'a change of the store by what was refused',
      widget(async ({ db }) => {
        await db.updateTable('tunnel').set({ note: 'changed' }).execute()
        return refused()
      }),
      /refused with 409.*and yet it changed.*"note":"changed"/s,
    ],
    [
      'a change of the kernel by what was refused',
      widget(async ({ request }) => {
        const {
          tunnels: [found],
        } = await request('tunnel.probe', { interface_names: ['gre-a-1'] })
        await request('tunnel.apply', { before: found?.state ?? null, after: null })
        return refused()
      }),
      /refused with 409.*and yet it changed/s,
    ],
  ]
  for (const [what, endpoint, output] of caught) {
    it(`catches ${what}`, async () => {
      const target = await Target.open({ more_endpoints: [endpoint], hangMs: 500 })
      await assert.rejects(target.send(post), output)
      target.panel.server.closeAllConnections()
      await target.close()
    })
  }

  it('lets through what is refused and changes nothing, and what is done', async () => {
    const target = await Target.open({
      more_endpoints: [widget(async () => refused()), query('GET /widgets', {}, async () => ok({}))],
    })
    assert.equal((await target.send(post)).status, 409)
    assert.equal((await target.send({ ...post, method: 'GET', headers: {}, body: null })).status, 200)
    assert.equal((await target.send({ ...post, method: 'DELETE', target: '/api/v1/tunnels/1' })).status, 200)
    await target.close()
  })
})

const summary = ({ method, target, headers, body }: FuzzRequest): string =>
  `${method} ${target} ${JSON.stringify(headers)} ${(body ?? '').slice(0, 2000)}`
