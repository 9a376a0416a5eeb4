// A session ends everywhere at once: with a password change, on every way in and in every stream; and with a shorter
// time to live (reference.md, Authentication 6; decisions.md, A2, A16).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { openStream } from './support/streams.ts'
import { createTunnel } from './support/tunnels.ts'

const NEW_PASSWORD = 'a new and longer one'

describe('A session', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
    await panel.metrics.start()
  })
  afterEach(() => panel.close())

  /** The requests that end in 401. With a session none does: the body is refused before, or nothing is found. */
  const refusedAt = async (client: Client): Promise<string[]> => {
    const refused: string[] = []
    for (const { route, guards, kind } of panel.endpoints) {
      if (guards?.session === false || kind === 'stream') continue
      const [method = '', path = ''] = route.replaceAll(/\{\w+\}/g, '9999').split(' ')
      const { status } = await client.api(method, path, method === 'GET' ? undefined : { nonsense: 1 })
      if (status === 401) refused.push(route)
    }
    return refused
  }

  const guarded = (): string[] =>
    panel.endpoints
      .filter(({ guards, kind }) => guards?.session !== false && kind !== 'stream')
      .map(({ route }) => route)

  it('is let in at every endpoint that needs one, and after a password change at none, while the one that changed it goes on', async () => {
    const other = await panel.signIn()
    assert.deepEqual(await refusedAt(other), [])
    assert.equal(
      (await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: NEW_PASSWORD })).status,
      200,
    )
    assert.deepEqual(await refusedAt(other), guarded())
    assert.deepEqual(await refusedAt(operator), [])
  })

  it('takes its streams with it, of every kind, when the password changes', async () => {
    const other = await panel.signIn()
    assert.equal((await createTunnel(operator)).status, 201)
    const paths = panel.endpoints
      .filter(({ kind }) => kind === 'stream')
      .map(({ route }) => route.replaceAll(/\{\w+\}/g, '1').split(' '))
    assert.ok(paths.length >= 3)
    const open = await Promise.all(
      paths.map(([method, path = '']) =>
        openStream(other, path, {
          method: method as 'GET' | 'POST',
          ...(method === 'POST' ? { body: { count: 10_000, interval_seconds: 1 } } : {}),
        }),
      ),
    )
    assert.deepEqual(
      open.map(({ status }) => status),
      paths.map(() => 200),
    )
    assert.equal(
      (await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: NEW_PASSWORD })).status,
      200,
    )
    await Promise.all(open.map(({ ended }) => ended))
  })

  it('that is open ends by the shorter time when security.token_ttl_minutes is lowered, its streams a minute later', async () => {
    const stream = await openStream(operator, '/monitor/stream')
    await operator.put('/settings', { 'security.token_ttl_minutes': 2 })
    // What the test itself takes counts too, however slow the machine is.
    panel.clock.advance(90)
    assert.equal((await operator.get('/auth/me')).status, 200)
    panel.clock.advance(31)
    assert.equal((await operator.get('/auth/me')).status, 401)
    let isEnded = false
    void stream.ended.then(() => (isEnded = true))
    await new Promise((resolve) => setTimeout(resolve, 1200))
    assert.equal(isEnded, false)
    panel.clock.advance(60)
    await stream.ended
  })

  it('can be renewed no longer than security.refresh_ttl_days says now', async () => {
    await operator.put('/settings', { 'security.refresh_ttl_days': 1 })
    panel.clock.advance(86_401)
    assert.equal((await operator.post('/auth/refresh')).status, 401)
  })
})
