// What stands under the name of a secret never reaches the log, wherever in a line it is.
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'

const NAMES = ['password', 'token', 'csrf_token', 'x-csrf-token', 'cookie', 'authorization', 'secret', 'recovery_codes']

describe('The log of the web daemon', () => {
  it('has no value that stands under the name of a secret', () => {
    let written = ''
    const destination = new Writable({ write: (line: Buffer, _, done) => ((written += line.toString()), done()) })
    const logger = makeLogger(destination)
    const body = Object.fromEntries(NAMES.map((name) => [name, `value-of-${name}`]))
    logger.warn({ ...body, kept: 'this stays' }, 'in the line itself')
    logger.warn({ body, request: { headers: body } }, 'one and two levels below')
    assert.match(written, /this stays/)
    assert.doesNotMatch(written, /value-of-/)
    assert.equal(written.split('[redacted]').length - 1, 3 * NAMES.length)
  })
})
