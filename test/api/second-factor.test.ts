// The second factor (reference.md, Auth; decisions.md, A20): set up, required, good once, and given up.
import assert from 'node:assert/strict'
import { generateKeySync } from 'node:crypto'
import { encode } from 'uqr'
import type { SetUpTotpAnswer } from '@panel/shared/api/auth.ts'
import type { Client, Reply } from './support/client.ts'
import { codeOf, turnOnFactor, type Factor } from './support/factor.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'

describe('The second factor', () => {
  let panel: TestPanel
  let operator: Client
  const signing_key = generateKeySync('hmac', { length: 256 })
  beforeEach(async () => {
    panel = await startPanel({ signing_key })
    operator = await panel.setUp()
    // In the middle of a step, so that the machine's own pace ends none.
    panel.clock.advance(15 - ((panel.clock.now().getTime() / 1000) % 30) + 30)
  })
  afterEach(() => panel.close())

  const signIn = (code?: string, more: object = {}, from = '127.0.0.1'): Promise<Reply> =>
    panel.visitor().post('/auth/login', { ...OPERATOR, ...(code === undefined ? {} : { code }), ...more }, { from })

  it('is off until a code of it was given: one only begun is not required', async () => {
    const begun = await operator.post<{ secret: string; uri: string }>('/auth/me/totp', {
      current_password: OPERATOR.password,
    })
    assert.equal(begun.status, 201)
    assert.ok(new URL(begun.body.uri).searchParams.get('secret') === begun.body.secret)
    assert.equal((await signIn()).status, 200)
    const wrong = await operator.post('/auth/me/totp/confirm', { code: '000000' })
    assert.deepEqual([wrong.status, wrong.error.code, wrong.error.field], [401, 'INVALID_CREDENTIALS', 'code'])
    assert.equal((await operator.get('/auth/me/totp')).body['is_on'], false)
  })

  it('comes as a QR code too, an SVG picture of the URI, dark on light', async () => {
    const { body } = await operator.post<SetUpTotpAnswer>('/auth/me/totp', { current_password: OPERATOR.password })
    const { size, data } = encode(body.uri, { ecc: 'L', border: 3 })
    assert.match(body.svg, new RegExp(`^<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"`))
    assert.match(body.svg, new RegExp(`<rect width="${size}" height="${size}" fill="#fff"/>`))
    const drawn = new Set([...body.svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`))
    const dark = data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])))
    assert.deepEqual([...drawn], dark)
  })

  it('needs the password to be begun', async () => {
    assert.equal((await operator.post('/auth/me/totp', { current_password: 'wrong wrong wrong' })).status, 401)
  })

  describe('that is on', () => {
    let factor: Factor
    let other: Client
    beforeEach(async () => {
      other = await panel.signIn()
      factor = await turnOnFactor(panel, operator)
    })

    it('has ended the other sessions, and the own one goes on', async () => {
      assert.equal((await other.get('/auth/me')).status, 401)
      const { is_on, recovery_codes_left } = (await operator.get('/auth/me/totp')).body
      assert.deepEqual([is_on, recovery_codes_left], [true, 10])
    })

    it('is required only after the right password', async () => {
      const answer = await signIn()
      assert.deepEqual([answer.status, answer.error.code], [401, 'SECOND_FACTOR_REQUIRED'])
      const wrong = await signIn(undefined, { password: 'wrong wrong wrong' })
      assert.equal(wrong.error.code, 'INVALID_CREDENTIALS')
      const wrongToo = await signIn(factor.code(), { password: 'wrong wrong wrong' })
      assert.equal(wrongToo.text, wrong.text)
    })

    it('lets in by a code once, and one of the step after it', async () => {
      const code = factor.code()
      assert.equal((await signIn(code)).status, 200)
      assert.equal((await signIn(code)).status, 401)
      assert.equal((await signIn(factor.code(1))).status, 200)
      assert.equal((await signIn(factor.code(-1))).status, 401)
    })

    it('lets in by no code that was used before a restart, and by the next one', async () => {
      const [recovery = ''] = factor.recovery_codes
      for (const code of [factor.code(), recovery]) assert.equal((await signIn(code)).status, 200)
      const again = await startPanel({ signing_key, db: panel.db, settings: panel.settings })
      again.clock.advance((panel.clock.now().getTime() - again.clock.now().getTime()) / 1000)
      const signInAgain = async (code: string): Promise<number> =>
        (await again.visitor().post('/auth/login', { ...OPERATOR, code })).status
      const codes = [factor.code(), recovery, factor.code(1)]
      const statuses = []
      for (const code of codes) statuses.push(await signInAgain(code))
      await again.listeners.stop(100)
      assert.deepEqual(statuses, [401, 401, 200])
    })

    it('lets in after a sign-in while the clock was ahead, and by each code once all the same', async () => {
      panel.clock.set(400 * 86_400)
      assert.equal((await signIn(factor.code())).status, 200)
      panel.clock.set(-400 * 86_400)
      const code = factor.code()
      assert.equal((await signIn(code)).status, 200)
      assert.equal((await signIn(code)).status, 401)
      assert.equal((await signIn(factor.code(1))).status, 200)
      assert.equal((await signIn(code)).status, 401)
    })

    it('lets in by no code that the step after now was used with', async () => {
      assert.equal((await signIn(factor.code(1))).status, 200)
      assert.equal((await signIn(factor.code())).status, 401)
    })

    it('lets in by one of two that bring the same code at the same moment', async () => {
      const code = factor.code()
      const statuses = (await Promise.all([signIn(code), signIn(code)])).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [200, 401])
    })

    it('lets in by each recovery code once', async () => {
      const [code = ''] = factor.recovery_codes
      assert.equal((await signIn(code.toLowerCase())).status, 200)
      assert.equal((await signIn(code)).status, 401)
      assert.equal((await operator.get('/auth/me/totp')).body['recovery_codes_left'], 9)
    })

    it('counts a wrong code like a wrong password, and the right password in between forgives nothing', async () => {
      for (let at = 0; at < 5; at++) {
        assert.equal((await signIn('000000')).status, 401)
        if (at < 4) assert.equal((await signIn()).error.code, 'SECOND_FACTOR_REQUIRED')
      }
      assert.equal((await signIn(factor.code())).status, 429)
    })

    it('cannot be set up again before it is off', async () => {
      const again = await operator.post('/auth/me/totp', { current_password: OPERATOR.password })
      assert.deepEqual([again.status, again.error.code], [409, 'CONFLICT'])
    })

    it('gets new recovery codes for the password and a code together, and the old ones end at once', async () => {
      const renew = (body: object) => operator.post<{ recovery_codes: string[] }>('/auth/me/totp/recovery-codes', body)
      const [used = '', old = ''] = factor.recovery_codes
      const right = { current_password: OPERATOR.password, code: used }
      for (const wrong of [{ code: '000000' }, { current_password: 'wrong horse battery' }])
        assert.equal((await renew({ ...right, ...wrong })).status, 401)
      const { status, body, text } = await renew(right)
      assert.equal(status, 200, text)
      assert.deepEqual([body.recovery_codes.length, body.recovery_codes.includes(old)], [10, false])
      const left = (await operator.get<{ recovery_codes_left: number }>('/auth/me/totp')).body.recovery_codes_left
      assert.equal(left, 10)
      assert.equal((await signIn(old)).status, 401)
      assert.equal((await signIn(body.recovery_codes[0])).status, 200)
      const { entries } = (await operator.get<{ entries: { action: string }[] }>('/audit')).body
      assert.ok(entries.some(({ action }) => action === 'RecoveryCodes'))
      assert.ok(!JSON.stringify(entries).includes(body.recovery_codes[1] ?? 'none'))
    })

    it('is switched off by the password and a code together', async () => {
      const off = (current_password: string, code: string) =>
        operator.delete('/auth/me/totp', { current_password, code })
      assert.equal((await off('wrong wrong wrong', factor.code())).status, 401)
      assert.equal((await off(OPERATOR.password, '000000')).status, 401)
      assert.equal((await off(OPERATOR.password, factor.code())).status, 200)
      assert.equal((await signIn()).status, 200)
      assert.equal((await panel.db.selectFrom('recovery_code').selectAll().execute()).length, 0)
    })

    it('is in the store only encrypted, and its recovery codes as hashes', async () => {
      const [row] = await panel.db.selectFrom('second_factor').selectAll().execute()
      const codes = await panel.db.selectFrom('recovery_code').selectAll().execute()
      assert.equal(row?.secret.length, 12 + 20 + 16)
      assert.equal(codes.length, 10)
      for (const { code_hash } of codes) assert.equal(code_hash.length, 32)
    })

    it('has its life in the audit log, without a secret', async () => {
      const { text, body } = await operator.get<{ entries: { action: string }[] }>('/audit?limit=10')
      const actions = body.entries.map(({ action }) => action)
      assert.ok(actions.includes('TotpSetup') && actions.includes('TotpConfirm'))
      for (const secret of [factor.secret, ...factor.recovery_codes, codeOf(panel, factor.secret, -1)])
        assert.ok(!text.includes(secret), secret)
    })
  })
})
