// Guessing is slowed down (decisions.md, A12): per account name, per address, and by a lockout of the address.
import assert from 'node:assert/strict'
import bcrypt from 'bcrypt'
import { replacePassword } from '@panel/web-daemon/features/auth/store.ts'
import { makePasswords, type Bcrypt } from '@panel/web-daemon/features/auth/passwords.ts'
import { QUEUE } from '@panel/web-daemon/features/auth/password-queue.ts'
import { OPERATOR, startPanel, TEST_BCRYPT_COST, type TestPanel } from './support/panel.ts'

describe('guessing a password', () => {
  let panel: TestPanel
  beforeEach(async () => {
    panel = await startPanel()
    await panel.setUp()
  })
  afterEach(() => panel.close())

  const guess = async (username: string, from: string, password = 'wrong wrong wrong'): Promise<string> => {
    const { status, headers } = await panel.visitor().post('/auth/login', { username, password }, { from })
    if (status === 429) assert.ok(Number(headers['retry-after']) > 0)
    return String(status)
  }

  for (const username of [OPERATOR.username, 'nobody']) {
    it(`of the account ${username} fails five times a minute, from wherever it comes, and then waits with Retry-After`, async () => {
      for (let at = 1; at <= 5; at++) assert.equal(await guess(username, `127.0.1.${at}`), '401')
      assert.equal(await guess(username.toUpperCase(), '127.0.1.6'), '429')
      const { error, headers } = await panel
        .visitor()
        .post('/auth/login', { username, password: 'x' }, { from: '127.0.1.7' })
      assert.deepEqual(
        [error.code, error.details['retry_after_seconds']],
        ['RATE_LIMITED', Number(headers['retry-after'])],
      )
      panel.clock.advance(61)
      assert.equal(await guess(username, '127.0.1.8'), '401')
    })
  }

  it('is counted in a window that slides: what was a minute ago makes room for as much again, and no more', async () => {
    for (let at = 1; at <= 3; at++) assert.equal(await guess('nobody', `127.0.7.${at}`), '401')
    panel.clock.advance(40)
    for (let at = 4; at <= 5; at++) assert.equal(await guess('nobody', `127.0.7.${at}`), '401')
    panel.clock.advance(15)
    assert.equal(await guess('nobody', '127.0.7.6'), '429')
    panel.clock.advance(6)
    for (let at = 7; at <= 9; at++) assert.equal(await guess('nobody', `127.0.7.${at}`), '401')
    assert.equal(await guess('nobody', '127.0.7.10'), '429')
  })

  it('while the clock was ahead makes nobody wait for that time', async () => {
    panel.clock.set(30 * 86_400)
    for (let at = 1; at <= 6; at++) await guess(OPERATOR.username, '127.0.9.1')
    panel.clock.set(-30 * 86_400)
    assert.equal(await guess(OPERATOR.username, '127.0.9.1', OPERATOR.password), '200')
    for (let at = 1; at <= 5; at++) assert.equal(await guess('nobody', '127.0.9.1'), '401')
    assert.equal(await guess('nobody', '127.0.9.1'), '429')
  })

  it('that has to wait learns how long, and further requests meanwhile make it no longer', async () => {
    for (let at = 1; at <= 5; at++) await guess(`nobody${at}`, '127.0.8.1')
    const wait = async (): Promise<number> =>
      Number((await panel.visitor().post('/auth/login', OPERATOR, { from: '127.0.8.1' })).headers['retry-after'])
    const first = await wait()
    assert.ok(first > 14 * 60 && first <= 15 * 60, `${first}`)
    panel.clock.advance(600)
    const later = await wait()
    assert.ok(Math.abs(first - later - 600) <= 2, `${first} ${later}`)
  })

  it('never locks the account: a minute after the last of many guesses from everywhere the right password is let in', async () => {
    for (let round = 0; round < 3; round++) {
      for (let at = 1; at <= 5; at++) assert.equal(await guess(OPERATOR.username, `127.0.9.${10 * round + at}`), '401')
      panel.clock.advance(61)
    }
    assert.equal(await guess(OPERATOR.username, '127.0.10.1', OPERATOR.password), '200')
  })

  it('cannot outrun the count by guessing all at once', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, at) => guess(OPERATOR.username, `127.0.2.${at + 1}`)),
    )
    assert.equal(statuses.filter((status) => status === '401').length, 5)
    assert.equal(statuses.filter((status) => status === '429').length, 7)
  })

  it('five times in a row locks the address out for 15 minutes, the right password included, and no other address', async () => {
    for (let at = 1; at <= 5; at++) assert.equal(await guess(`nobody${at}`, '127.0.3.1'), '401')
    assert.equal(await guess(OPERATOR.username, '127.0.3.1', OPERATOR.password), '429')
    assert.equal(await guess(OPERATOR.username, '127.0.3.2', OPERATOR.password), '200')
    panel.clock.advance(14 * 60)
    assert.equal(await guess(OPERATOR.username, '127.0.3.1', OPERATOR.password), '429')
    panel.clock.advance(61)
    assert.equal(await guess(OPERATOR.username, '127.0.3.1', OPERATOR.password), '200')
  })

  it('is forgiven by a success in between', async () => {
    for (let round = 0; round < 3; round++) {
      for (let at = 1; at <= 4; at++) assert.equal(await guess(`nobody${round}${at}`, '127.0.4.1'), '401')
      assert.equal(await guess(OPERATOR.username, '127.0.4.1', OPERATOR.password), '200')
    }
  })

  it('or signing in is tried 20 times a minute from one address at most', async () => {
    for (let at = 0; at < 20; at++) assert.equal(await guess(OPERATOR.username, '127.0.5.1', OPERATOR.password), '200')
    assert.equal(await guess(OPERATOR.username, '127.0.5.1', OPERATOR.password), '429')
    assert.equal(await guess(OPERATOR.username, '127.0.5.2', OPERATOR.password), '200')
  })

  it('is forgotten once the password is another one, for every name: who was given it need not wait', async () => {
    for (let at = 1; at <= 5; at++) assert.equal(await guess(OPERATOR.username, '127.0.11.1'), '401')
    for (let at = 1; at <= 5; at++) assert.equal(await guess('nobody', `127.0.12.${at}`), '401')
    assert.equal(await guess(OPERATOR.username, '127.0.11.1', OPERATOR.password), '429')
    const { user_id } = await panel.db.selectFrom('user_account').select('user_id').executeTakeFirstOrThrow()
    await replacePassword(
      panel.db,
      user_id,
      await bcrypt.hash('a new and longer one', 4),
      panel.clock.now().toISOString(),
    )
    assert.equal(await guess(OPERATOR.username, '127.0.11.1', 'a new and longer one'), '200')
    assert.equal(await guess('nobody', '127.0.12.9'), '401')
    for (let at = 1; at <= 5; at++) await guess(`nobody${at}`, '127.0.13.1')
    assert.equal(await guess('nobody6', '127.0.13.1'), '429')
  })

  it('by way of the change of the password counts as well', async () => {
    const operator = await panel.signIn()
    const wrong = { current_password: 'wrong wrong wrong', username: 'chief' }
    for (let at = 0; at < 5; at++) assert.equal((await operator.put('/auth/me', wrong)).status, 401)
    assert.equal((await operator.put('/auth/me', { ...wrong, current_password: OPERATOR.password })).status, 429)
  })

  describe('from many addresses', () => {
    const flood = async (net: string): Promise<void> => {
      for (let at = 1; at <= 6; at++) await guess(OPERATOR.username, `127.0.${net}.${at}`)
    }

    it('never keeps the operator from signing in at a known address', async () => {
      await panel.visitor().post('/auth/login', OPERATOR, { from: '127.0.20.1' })
      await flood('21')
      assert.equal(await guess(OPERATOR.username, '127.0.22.1', OPERATOR.password), '429')
      assert.equal(await guess(OPERATOR.username, '127.0.20.1', OPERATOR.password), '200')
    })

    it('is remembered for 30 days, of an address as a keyed hash alone', async () => {
      await panel.visitor().post('/auth/login', OPERATOR, { from: '127.0.20.2' })
      const rows = await panel.db.selectFrom('known_address').selectAll().execute()
      assert.equal(rows.length, 2)
      for (const { address_hash } of rows) assert.equal(address_hash.length, 32)
      panel.clock.advance(30 * 86_400 + 1)
      await flood('23')
      assert.equal(await guess(OPERATOR.username, '127.0.20.2', OPERATOR.password), '429')
    })

    it('is not made known by a mere renewal of a session, as with copied cookies', async () => {
      const copied = await panel.signIn()
      assert.equal((await copied.post('/auth/refresh', undefined, { from: '127.0.20.3' })).status, 200)
      await flood('23')
      assert.equal(await guess(OPERATOR.username, '127.0.20.3', OPERATOR.password), '429')
    })

    it('stays known for 30 days after a session was renewed there', async () => {
      const operator = await panel.signIn()
      await panel.visitor().post('/auth/login', OPERATOR, { from: '127.0.20.4' })
      panel.clock.advance(20 * 86_400)
      assert.equal((await operator.post('/auth/refresh', undefined, { from: '127.0.20.4' })).status, 200)
      panel.clock.advance(20 * 86_400)
      await flood('23')
      assert.equal(await guess(OPERATOR.username, '127.0.20.4', OPERATOR.password), '200')
    })

    it('is limited at a known address as well, by a count of its own', async () => {
      for (let at = 1; at <= 5; at++) assert.equal(await guess(OPERATOR.username, '127.0.0.1'), '401')
      assert.equal(await guess(OPERATOR.username, '127.0.0.1', OPERATOR.password), '429')
      assert.equal(await guess(OPERATOR.username, '127.0.24.1', OPERATOR.password), '200')
    })

    it('never keeps who is signed in from changing the password', async () => {
      const operator = await panel.signIn()
      await flood('25')
      for (let at = 1; at <= 6; at++) await guess('nobody', '127.0.0.1')
      const change = { current_password: OPERATOR.password, new_password: 'a new and longer one' }
      assert.equal((await operator.put('/auth/me', change)).status, 200)
    })
  })

  describe('all at once', () => {
    it('makes a few wait and sends the others away with Retry-After, while the operator goes first', async () => {
      const running: (() => void)[] = []
      const held: Bcrypt = {
        hash: bcrypt.hash,
        compare: ((password: string, hash: string) =>
          new Promise((resolve) => running.push(() => resolve(bcrypt.compare(password, hash))))) as Bcrypt['compare'],
      }
      const busy = await startPanel({ passwords: makePasswords(TEST_BCRYPT_COST, held) })
      await busy.setUp()
      const log = (username: string, from: string, password: string) =>
        busy.visitor().post('/auth/login', { username, password }, { from })
      const others = Array.from({ length: 40 }, (_, at) => log(`nobody${at}`, `127.0.30.${at + 1}`, 'wrong wrong'))
      const refused = Promise.all(others)
      const settled: number[] = []
      for (const other of others) void other.then(({ status }) => settled.push(status))
      while (settled.length < 40 - QUEUE.at_once - QUEUE.waiting) await new Promise((resolve) => setTimeout(resolve, 5))
      const operator = log(OPERATOR.username, '127.0.0.1', OPERATOR.password)
      // One of a stranger and that of the operator, who did not have to wait for it.
      while (running.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
      running.pop()?.()
      assert.equal((await operator).status, 200)
      assert.equal(running.length, 1)
      const draining = setInterval(() => running.splice(0).forEach((next) => next()), 5)
      const replies = await refused
      clearInterval(draining)
      const busyOnes = replies.filter(({ status }) => status === 503)
      assert.equal(busyOnes.length, 40 - QUEUE.at_once - QUEUE.waiting)
      for (const { headers } of busyOnes) assert.equal(headers['retry-after'], '2')
      assert.equal(replies.filter(({ status }) => status === 401).length, QUEUE.at_once + QUEUE.waiting)
      await busy.close()
    })
  })

  it('does not believe a header about where it comes from', async () => {
    for (let at = 1; at <= 5; at++)
      await panel
        .visitor()
        .post(
          '/auth/login',
          { username: `n${at}`, password: 'x' },
          { headers: { 'X-Forwarded-For': `10.0.0.${at}` }, from: '127.0.6.1' },
        )
    assert.equal(await guess('other', '127.0.6.1'), '429')
  })

  it('a refresh is possible 60 times a minute from one address', async () => {
    const operator = await panel.signIn()
    for (let at = 0; at < 60; at++) assert.equal((await operator.post('/auth/refresh')).status, 200)
    assert.equal((await operator.post('/auth/refresh')).status, 429)
  })
})
