// Sessions that can be ended (reference.md, Auth; decisions.md, A19): signing out, ending one or all others, and a
// refresh token that was copied.
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { openStream } from './support/streams.ts'

interface Listed {
  session_id: number
  last_ip: string
  last_used_date: string
  user_agent: string
  is_current: boolean
}

describe('Sessions', () => {
  let panel: TestPanel
  let operator: Client
  let key: KeyObject
  beforeEach(async () => {
    key = createSecretKey(randomBytes(32))
    panel = await startPanel({ signing_key: key })
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const copyOf = (client: Client): Client => {
    const copy = new Client(client.base, client.check)
    for (const [name, value] of client.cookies) copy.cookies.set(name, value)
    return copy
  }
  const sessionsOf = async (client: Client): Promise<Listed[]> =>
    (await client.get<{ sessions: Listed[] }>('/auth/sessions')).body.sessions
  const statuses = async (client: Client): Promise<number[]> => [
    (await client.get('/auth/me')).status,
    (await client.post('/auth/refresh')).status,
  ]

  it('leave nothing in copied cookies after the sign-out', async () => {
    const copy = copyOf(operator)
    assert.equal((await operator.post('/auth/logout')).status, 200)
    assert.deepEqual(await statuses(copy), [401, 401])
  })

  it('end at the sign-out also where only the refresh cookie is still good', async () => {
    const copy = copyOf(operator)
    panel.clock.advance(3601)
    await operator.post('/auth/logout')
    assert.equal((await copy.post('/auth/refresh')).status, 401)
  })

  it('go on when a refresh token comes twice within ten seconds, as from two tabs', async () => {
    const tab = copyOf(operator)
    assert.equal((await operator.post('/auth/refresh')).status, 200)
    panel.clock.advance(5)
    assert.equal((await tab.post('/auth/refresh')).status, 200)
    assert.deepEqual(
      [await statuses(operator), await statuses(tab)],
      [
        [200, 200],
        [200, 200],
      ],
    )
  })

  it('end when it comes later than that, for the thief and for the operator', async () => {
    const thief = copyOf(operator)
    assert.equal((await operator.post('/auth/refresh')).status, 200)
    panel.clock.advance(11)
    assert.deepEqual(await statuses(thief), [200, 401])
    assert.deepEqual(await statuses(operator), [401, 401])
    const { revoked_why } = await panel.db.selectFrom('session').selectAll().executeTakeFirstOrThrow()
    assert.equal(revoked_why, 'refresh_reused')
  })

  it('end when a token older than the last but one comes, however soon', async () => {
    const thief = copyOf(operator)
    await operator.post('/auth/refresh')
    await operator.post('/auth/refresh')
    assert.equal((await thief.post('/auth/refresh')).status, 401)
    assert.equal((await operator.get('/auth/me')).status, 401)
  })

  it('are listed with device, address and last use, the own one marked', async () => {
    const other = panel.visitor()
    await other.post('/auth/login', OPERATOR, { from: '127.0.0.9', headers: { 'User-Agent': 'Browser/1.0' } })
    panel.clock.advance(120)
    const listed = await sessionsOf(operator)
    assert.deepEqual(
      listed.map(({ last_ip, user_agent, is_current }) => [last_ip, user_agent, is_current]),
      [
        ['127.0.0.1', '', true],
        ['127.0.0.9', 'Browser/1.0', false],
      ],
    )
    assert.ok(String(listed[0]?.last_used_date) > String(listed[1]?.last_used_date))
  })

  it('can be ended one by one, with their streams', async () => {
    const other = await panel.signIn()
    const stream = await openStream(other, '/monitor/stream')
    const { session_id = 0 } = (await sessionsOf(operator)).find(({ is_current }) => !is_current) ?? {}
    assert.deepEqual((await operator.delete(`/auth/sessions/${session_id}`)).body, { deleted: true, session_id })
    assert.deepEqual(await statuses(other), [401, 401])
    await stream.ended
    assert.equal((await operator.delete(`/auth/sessions/${session_id}`)).status, 404)
    assert.equal((await sessionsOf(operator)).length, 1)
  })

  it('can all be ended but the own one', async () => {
    const others = [await panel.signIn(), await panel.signIn()]
    assert.deepEqual((await operator.delete('/auth/sessions')).body, { ended: 2 })
    for (const other of others) assert.deepEqual(await statuses(other), [401, 401])
    assert.deepEqual(await statuses(operator), [200, 200])
  })

  it('end with a change of the password, but for the own one, and the list says so', async () => {
    await panel.signIn()
    const body = { current_password: OPERATOR.password, new_password: 'a new and longer one' }
    assert.equal((await operator.put('/auth/me', body)).status, 200)
    assert.deepEqual(
      (await sessionsOf(operator)).map(({ is_current }) => is_current),
      [true],
    )
  })

  it('are named in the audit log by what was done in them', async () => {
    const other = await panel.signIn()
    await other.put('/settings', { 'display.theme': 'dark' })
    const { entries } = (
      await operator.get<{ entries: { action: string; session_id: number | null }[] }>('/audit?limit=3')
    ).body
    const own = (await sessionsOf(other)).find(({ is_current }) => is_current)?.session_id
    assert.deepEqual(
      entries.slice(0, 2).map(({ action, session_id }) => [action, session_id]),
      [
        ['SettingUpdate', own],
        ['Login', own],
      ],
    )
  })

  it('survive a restart of the daemon, ended ones too', async () => {
    const ended = await panel.signIn()
    await operator.delete('/auth/sessions')
    const again = await startPanel({ signing_key: key, db: panel.db, settings: panel.settings })
    const [kept, dead] = [copyOf(operator), copyOf(ended)].map((client) => {
      const moved = new Client(again.base, again.visitor().check)
      for (const [name, value] of client.cookies) moved.cookies.set(name, value)
      return moved
    })
    assert.ok(kept && dead)
    assert.deepEqual(await statuses(dead), [401, 401])
    assert.deepEqual(await statuses(kept), [200, 200])
    await again.listeners.stop(100)
  })
})
