// What stands under the name of a secret never reaches the log, wherever in a line it is.
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { isOfJournal, journalPrefix } from '@panel/shared/syslog.ts'
import { levelOf, makeLogger } from '@panel/web-daemon/platform/log.ts'

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

  it('has the priority of the journal before a line that the journal reads, by the level of the line', () => {
    let lines: string[] = []
    const logger = makeLogger({ write: (line) => void lines.push(`${journalPrefix(levelOf(line))}${line}`) })
    logger.level = 'debug'
    for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) logger[level](level)
    assert.deepEqual(
      lines.map((line) => line.slice(0, 12)),
      ['<7>{"level":', '<6>{"level":', '<4>{"level":', '<3>{"level":', '<3>{"level":'],
    )
    lines = ['not JSON', '{"level":"50"}']
    assert.deepEqual(lines.map(levelOf), ['debug', 'debug'])
  })

  it('has none where another than the journal reads it', () => {
    const own = { dev: 5, ino: 77 }
    assert.deepEqual(
      ['5:77', '5:78', '', undefined].map((stream) => isOfJournal(stream, own)),
      [true, false, false, false],
    )
  })
})
