// The signed-in operator, and changing the account (reference.md: Auth, Authentication 6; decisions.md, A6, A11).
import assert from 'node:assert/strict'
import type { MeAnswer } from '@panel/shared/api/auth.ts'
import type { Client, Reply } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

const NEW_PASSWORD = 'a new and longer one'

interface SessionBody {
  user: { user_id: number; username: string; is_active: boolean; last_login_date: string; created_date: string }
  csrf_token: string
  access_expires_at: string
  refresh_expires_at: string
}

describe('/auth/me', () => {
  let panel: TestPanel
  beforeEach(async () => (panel = await startPanel({ web_path: 'panel' })))
  afterEach(() => panel.close())

  it('gives the signed-in operator flat, and as in the session body', async () => {
    const operator = await panel.setUp()
    const { body } = await operator.get<MeAnswer>('/auth/me')
    const { user, server_name: _, ...flat } = body
    assert.deepEqual(flat, user)
    assert.equal(flat.username, OPERATOR.username)
  })

  const change = (client: Client, body: object): Promise<Reply<SessionBody>> =>
    client.put<SessionBody>('/auth/me', { current_password: OPERATOR.password, ...body })

  it('changes the password: every other session ends, the caller goes on with new cookies, the old password is dead', async () => {
    const [operator, other] = [await panel.setUp(), await panel.signIn()]
    const old = panel.visitor()
    for (const [name, value] of operator.cookies) old.cookies.set(name, value)
    assert.equal((await change(operator, { new_password: NEW_PASSWORD })).status, 200)
    assert.equal((await operator.get('/auth/me')).status, 200)
    for (const ended of [other, old]) {
      assert.equal((await ended.get('/auth/me')).error.code, 'UNAUTHENTICATED')
      assert.equal((await ended.post('/auth/refresh')).error.code, 'UNAUTHENTICATED')
    }
    assert.equal((await panel.visitor().post('/auth/login', OPERATOR)).status, 401)
    assert.equal((await panel.visitor().post('/auth/login', { ...OPERATOR, password: NEW_PASSWORD })).status, 200)
  })

  it('changes the username, which ends other sessions as well', async () => {
    const [operator, other] = [await panel.setUp(), await panel.signIn()]
    const { status, body } = await change(operator, { username: 'chief' })
    assert.deepEqual([status, body.user.username], [200, 'chief'])
    assert.equal((await operator.get<{ username: string }>('/auth/me')).body.username, 'chief')
    assert.equal((await other.get('/auth/me')).status, 401)
  })

  it('is 401 on a wrong current password and changes nothing', async () => {
    const operator = await panel.setUp()
    const { status, error } = await change(operator, {
      current_password: 'wrong wrong wrong',
      new_password: NEW_PASSWORD,
    })
    assert.deepEqual([status, error.code], [401, 'INVALID_CREDENTIALS'])
    assert.equal((await operator.get('/auth/me')).status, 200)
    assert.equal((await panel.visitor().post('/auth/login', OPERATOR)).status, 200)
  })

  it('says all at once that the current password is wrong and the new one is weak', async () => {
    const operator = await panel.setUp()
    const { status, error } = await change(operator, { current_password: 'wrong wrong wrong', new_password: 'short' })
    assert.deepEqual([status, error.code, error.field], [401, 'INVALID_CREDENTIALS', 'current_password'])
    const fields = error.details['fields'] as { field: string }[]
    assert.deepEqual(
      fields.map(({ field }) => field),
      ['current_password', 'new_password'],
    )
  })

  it('is 422 on a weak new password or a bad name, and 400 where there is nothing to change', async () => {
    const operator = await panel.setUp()
    const { status, error } = await change(operator, { new_password: 'short' })
    assert.deepEqual([status, error.field], [422, 'new_password'])
    assert.match(error.message, /12/)
    assert.equal((await change(operator, { username: '-' })).error.field, 'username')
    assert.equal((await change(operator, { new_password: null })).error.field, 'new_password')
    assert.equal((await operator.put('/auth/me', { new_password: NEW_PASSWORD })).error.field, 'current_password')
    for (const nothing of [{}, { username: OPERATOR.username }, { current_password: 'wrong wrong wrong' }])
      assert.equal((await change(operator, nothing)).error.code, 'INVALID_REQUEST')
  })

  it('changed twice at once, changes once', async () => {
    const operator = await panel.setUp()
    const replies = await Promise.all([change(operator, { username: 'one' }), change(operator, { username: 'two' })])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })
})
