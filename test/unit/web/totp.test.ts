// One-time codes: the vectors of RFC 6238, appendix B, the tolerance, and the box that the secret lies in.
import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { newRecoveryCodes, recoveryHash } from '@panel/web-daemon/features/auth/recovery-codes.ts'
import { SecretBox } from '@panel/web-daemon/platform/secret-box.ts'
import { newSecret, stepOfCode, totp, totpUri } from '@panel/web-daemon/features/auth/totp.ts'

const SECRET = Buffer.from('12345678901234567890')
const VECTORS = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
] as const

describe('A one-time code', () => {
  for (const [seconds, code] of VECTORS) {
    it(`is ${code} at ${seconds} s, as in RFC 6238`, () => {
      assert.equal(totp(SECRET, { digits: 8 }).generate({ timestamp: seconds * 1000 }), code)
    })

    it(`of six digits is the end of that, ${code.slice(2)}, and belongs to its step`, () => {
      assert.equal(stepOfCode(SECRET, code.slice(2), new Date(seconds * 1000)), Math.floor(seconds / 30))
    })
  }

  it('is taken one step early and one late, and no further', () => {
    const at = (seconds: number): number | null => stepOfCode(SECRET, '005924', new Date(seconds * 1000))
    const step = Math.floor(1234567890 / 30)
    assert.deepEqual([at(1234567890 - 30), at(1234567890 + 30)], [step, step])
    assert.deepEqual([at(1234567890 - 60), at(1234567890 + 60)], [null, null])
  })

  it('comes of 160 random bits, which a URI hands to the authenticator', () => {
    const secret = newSecret()
    assert.equal(secret.length, 20)
    const { protocol, searchParams } = new URL(totpUri(secret, 'operator'))
    assert.deepEqual(
      [protocol, searchParams.get('algorithm'), searchParams.get('digits'), searchParams.get('period')],
      ['otpauth:', 'SHA1', '6', '30'],
    )
  })
})

describe('A recovery code', () => {
  it('has 80 bits, is one of ten that differ, and is the same however it is typed', () => {
    const codes = newRecoveryCodes()
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$/)
    const [code = ''] = codes
    assert.deepEqual(recoveryHash(code.toLowerCase().replaceAll('-', ' ')), recoveryHash(code))
  })
})

describe('What is sealed', () => {
  const key = createSecretKey(randomBytes(32))

  it('is read again under the same key and purpose, and under no other', () => {
    const sealed = new SecretBox(key, 'second factor').seal(SECRET)
    assert.deepEqual(new SecretBox(key, 'second factor').open(sealed), SECRET)
    assert.equal(new SecretBox(key, 'other').open(sealed), null)
    assert.equal(new SecretBox(createSecretKey(randomBytes(32)), 'second factor').open(sealed), null)
    assert.ok(!sealed.includes(SECRET))
  })

  it('is refused once a bit of it was changed', () => {
    const box = new SecretBox(key, 'second factor')
    const sealed = box.seal(SECRET)
    sealed.writeUInt8(sealed.readUInt8(15) ^ 1, 15)
    assert.equal(box.open(sealed), null)
  })
})
