// A password at a terminal: never shown, entered twice, and given up on Ctrl-C (web-daemon/cli/new-password.ts).
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { readNewPassword, type Input } from '@panel/web-daemon/cli/new-password.ts'

const GOOD = 'correct horse battery'

describe('A password typed at a terminal', () => {
  let raw: boolean[]
  let output: string
  const terminal = (...keys: (string | Buffer)[]): Input => {
    const stream = new PassThrough()
    for (const key of keys) stream.write(key)
    return Object.assign(stream, {
      isTTY: true as const,
      setRawMode: (mode: boolean) => (raw.push(mode), stream as never),
    })
  }
  const read = (input: Input, check: (password: string) => void = () => undefined): Promise<string> =>
    readNewPassword(input, (text) => void (output += text), check)
  beforeEach(() => {
    raw = []
    output = ''
  })

  it('is entered twice, in raw mode, which is left again, and is not shown', async () => {
    assert.equal(await read(terminal(`${GOOD}\r`, `${GOOD}\r`)), GOOD)
    assert.deepEqual(raw, [true, false])
    assert.equal(output, 'New password: \nRepeat the password: \n')
  })

  it('is the same whether its letters come one by one, in halves, or both lines at once', async () => {
    const text = 'گذرواژهٔ دیگری'
    const bytes = Buffer.from(`${text}\r${text}\r`)
    assert.equal(await read(terminal(...[...bytes].map((byte) => Buffer.from([byte])))), text)
    assert.equal(await read(terminal(bytes)), text)
  })

  it('can be corrected with backspace and begun again with Ctrl-U', async () => {
    assert.equal(await read(terminal(`xy\u0015${GOOD}zz\u007f\b\r${GOOD}\n`)), GOOD)
  })

  it('is given up by Ctrl-C, Ctrl-D or the end of the terminal, which is left as it was', async () => {
    const closed = terminal('half')
    ;(closed as PassThrough).end()
    await assert.rejects(read(terminal(`${GOOD}\u0003`)), /Cancelled/)
    await assert.rejects(read(terminal('\u0004')), /Cancelled/)
    await read(closed).catch(() => undefined)
    assert.deepEqual(raw, [true, false, true, false, true, false])
  })

  it('that is another one the second time changes nothing, and a refused one is not requested again', async () => {
    await assert.rejects(read(terminal(`${GOOD}\r`, `${GOOD}x\r`)), /The passwords differ/)
    output = ''
    const weak = new Error('weak')
    await assert.rejects(
      read(terminal('short\r'), () => {
        throw weak
      }),
      weak,
    )
    assert.equal(output, 'New password: \n')
  })
})
