// What nobody signed in can write into the audit log: little, and never so that one thing hides another (decisions.md,
// U4).
import assert from 'node:assert/strict'
import type { AuditEntry, ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import { ROWS_PER_MINUTE } from '@panel/web-daemon/features/audit/strangers.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { probeEndpoints } from './support/probe-endpoints.ts'

const GUESS = { ...OPERATOR, password: 'wrong wrong wrong' }

describe('The audit entries of requests that nobody signed in made', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel({ extra_endpoints: probeEndpoints().endpoints })
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const entries = async (action: string): Promise<AuditEntry[]> =>
    (await operator.get<ListAuditAnswer>(`/audit?action=${action}&limit=1000`)).body.entries
  const many = (count: number, send: (client: Client, at: number) => Promise<unknown>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, (_, at) => send(panel.visitor(), at)))
  const without = (client: Client, at: number): Promise<unknown> => {
    client.cookies.set('panel_csrf', 'x')
    return client.post('/widgets', { name: `n${at}` })
  }

  it('are none where the request had no CSRF token, which the log has all the same', async () => {
    await many(50, (client) => client.post('/widgets', { name: 'a' }))
    await many(50, (client) => client.post('/auth/refresh'))
    assert.deepEqual([...(await entries('TunnelCreate')), ...(await entries('SessionRefresh'))], [])
    assert.equal(panel.log.filter((line) => line.includes('CSRF_TOKEN_INVALID')).length, 100)
  })

  it('have the guesses at a password in them, whatever else was refused before', async () => {
    await many(700, without)
    await panel.visitor().post('/auth/login', GUESS, { from: '127.0.0.9' })
    const [guess] = await entries('LoginFailed')
    assert.deepEqual([guess?.client_ip, guess?.error_message.split(':')[0]], ['127.0.0.9', 'INVALID_CREDENTIALS'])
  })

  it('are bounded by the minute, and those beyond are one entry that counts them, by reason and address', async () => {
    const beyond = 40
    await many(ROWS_PER_MINUTE.withoutSession, (client) => client.post('/auth/login', GUESS))
    await many(beyond - 1, (client) => client.post('/auth/login', GUESS))
    await panel.visitor().post('/auth/login', { ...GUESS, username: 'another' }, { from: '127.0.0.9' })
    const [sum, ...each] = await entries('LoginFailed')
    assert.equal(each.length, ROWS_PER_MINUTE.withoutSession)
    assert.deepEqual([sum?.username, sum?.is_success, sum?.client_ip, sum?.request], ['', false, '', {}])
    assert.match(sum?.error_message ?? '', /^RATE_LIMITED: 40 more requests/)
    assert.deepEqual(sum?.operations, [
      'Refused: 39 RATE_LIMITED, 1 INVALID_CREDENTIALS',
      'From: 39 127.0.0.1, 1 127.0.0.9',
    ])
    panel.clock.advance(61)
    await panel.visitor().post('/auth/login', GUESS)
    assert.equal((await entries('LoginFailed')).length, ROWS_PER_MINUTE.withoutSession + 2)
  })

  it('are counted again in the next minute', async () => {
    for (let minute = 0; minute < 2; minute += 1) {
      await many(ROWS_PER_MINUTE.withSession + 5, without)
      panel.clock.advance(61)
    }
    await many(1, without)
    const found = (await entries('TunnelCreate')).reverse()
    const sums = found.filter(({ operations }) => operations.length > 0)
    assert.equal(found.length, 2 * ROWS_PER_MINUTE.withSession + 2 + 1)
    assert.deepEqual(
      sums.map(({ operations }) => operations[0]),
      ['Refused: 5 UNAUTHENTICATED', 'Refused: 5 UNAUTHENTICATED'],
    )
  })

  it('do not bound those of the operator, refused or not', async () => {
    await many(100, without)
    for (let at = 0; at < 20; at += 1) await operator.post('/widgets', { name: 'a' }, { csrf: at % 2 === 0 })
    const found = (await entries('TunnelCreate')).filter(({ username }) => username === OPERATOR.username)
    assert.deepEqual([found.length, found.filter(({ is_success }) => is_success).length], [20, 10])
  })
})
