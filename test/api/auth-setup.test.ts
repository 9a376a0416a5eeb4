// Setting up the one account of a panel (reference.md: Auth; decisions.md, section 5 and T1).
import assert from 'node:assert/strict'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

interface SessionBody {
  user: { user_id: number; username: string; is_active: boolean; last_login_date: string; created_date: string }
  csrf_token: string
  access_expires_at: string
  refresh_expires_at: string
}

describe('The first account', () => {
  let panel: TestPanel
  beforeEach(async () => (panel = await startPanel({ web_path: 'panel' })))
  afterEach(() => panel.close())

  describe('setup', () => {
    it('makes the account once: 201 with a session and cookies, then 409', async () => {
      const client = panel.visitor()
      const { status, body } = await client.post<SessionBody>('/auth/setup', OPERATOR)
      assert.equal(status, 201)
      assert.deepEqual([body.user.username, body.user.user_id, body.user.is_active], [OPERATOR.username, 1, true])
      assert.equal((await client.get('/auth/me')).status, 200)
      for (const again of [OPERATOR, {}, { username: 5 }]) {
        const { status: answered, error } = await panel.visitor().post('/auth/setup', again)
        assert.deepEqual([answered, error.code], [409, 'SETUP_ALREADY_COMPLETE'])
      }
    })

    it('refuses a password under 12 characters by 422 on the field password, with a message that states 12', async () => {
      for (const password of ['', 'short', 'eleven char', 'گذرواژه‌۱۲۳']) {
        const { status, error } = await panel.visitor().post('/auth/setup', { ...OPERATOR, password })
        assert.deepEqual([status, error.field], [422, 'password'], password)
        assert.match(error.message, /12/)
      }
    })

    it('refuses a password over 72 bytes rather than cutting it, and one that is the username', async () => {
      for (const password of ['x'.repeat(73), 'ن'.repeat(37), 'x'.repeat(2000)])
        assert.equal((await panel.visitor().post('/auth/setup', { ...OPERATOR, password })).error.field, 'password')
      assert.equal(
        (await panel.visitor().post('/auth/setup', { username: 'operator-one', password: 'Operator-One' })).error.field,
        'password',
      )
      assert.equal((await panel.visitor().post('/auth/setup', { ...OPERATOR, password: 'ن'.repeat(36) })).status, 201)
    })

    it('refuses a bad username, and tells of both fields at once', async () => {
      for (const username of ['', '-a', 'a b', 'x'.repeat(65), 'ä', 'a\n'])
        assert.equal(
          (await panel.visitor().post('/auth/setup', { ...OPERATOR, username })).error.field,
          'username',
          username,
        )
      const { details } = (await panel.visitor().post('/auth/setup', { username: '', password: 'short' })).error
      assert.deepEqual(Object.keys(details).sort(), ['fields', 'password', 'username'])
    })

    it('raced by two, makes one account: the second caller gets 409', async () => {
      const replies = await Promise.all(
        ['one', 'two', 'three'].map((username) => panel.visitor().post('/auth/setup', { ...OPERATOR, username })),
      )
      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409])
      assert.equal((await panel.db.selectFrom('user_account').selectAll().execute()).length, 1)
    })

    it('and login refuse a request that a page of another site sends', async () => {
      const visitor = panel.visitor()
      for (const path of ['/auth/setup', '/auth/login']) {
        for (const headers of [
          { 'Sec-Fetch-Site': 'cross-site' },
          { Origin: 'https://evil.example' },
          { Origin: 'null' },
          { Origin: visitor.base, 'Sec-Fetch-Site': 'cross-site' },
        ] as Record<string, string>[]) {
          const { status, error } = await visitor.post(path, OPERATOR, { headers })
          if (path === '/auth/setup') assert.deepEqual([status, error.code], [403, 'ORIGIN_NOT_ALLOWED'])
        }
      }
      const origin = new URL(visitor.base).origin
      assert.equal((await visitor.post('/auth/setup', OPERATOR, { headers: { Origin: origin } })).status, 201)
      assert.equal(
        (await visitor.post('/auth/login', OPERATOR, { headers: { Origin: 'https://evil.example' } })).error.code,
        'ORIGIN_NOT_ALLOWED',
      )
      assert.equal(
        (
          await visitor.post('/auth/login', OPERATOR, {
            headers: { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://behind-a-proxy.example' },
          })
        ).status,
        200,
      )
    })
  })
})
