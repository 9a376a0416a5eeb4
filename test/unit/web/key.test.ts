// The file of the signing key: made once, private, whole.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signingKey } from '@panel/web-daemon/features/auth/key.ts'

describe('the signing key', () => {
  let directory: string
  let path: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'panel-key-'))
    path = join(directory, 'session.key')
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('is 32 random bytes in a file of mode 0600, made at the first start and read at the next', () => {
    const key = signingKey(path)
    assert.equal(key.symmetricKeySize, 32)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(directory), ['session.key'])
    assert.ok(key.equals(signingKey(path)))
    assert.deepEqual(key.export(), readFileSync(path))
  })

  it('is refused where others can read it, or where it is of another length', () => {
    signingKey(path)
    chmodSync(path, 0o640)
    assert.throws(() => signingKey(path), /chmod 600/)
    writeFileSync(path, 'short')
    chmodSync(path, 0o600)
    assert.throws(() => signingKey(path), /does not hold 32 random bytes/)
  })
})
