// A command that asks the root helper ends with a sentence and a status, whatever is at the socket (guide.md).
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOST_PARTS } from '@panel/shared/host/model.ts'
import { MAX_LINE_BYTES } from '@panel/shared/rpc/framing.ts'
import { shipped } from '../../support/shipped.ts'

/** The parts of a host of which none is there. */
const NO_PART = Object.fromEntries(HOST_PARTS.map((part) => [part, null]))
const COMMANDS = [['rpc', 'window.probe'], ['safe-apply'], ['limits']] as const

interface Ended {
  readonly code: number
  readonly out: string
  readonly output: string
}

describe('A command that sends a request to the root helper', function () {
  let folder: string
  let helper: Server
  let answer: (socket: Socket) => void
  const path = (): string => join(folder, 'helper.sock')
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-rpc-'))
    helper = createServer((socket) => {
      // The command may go before it has read all of an answer.
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    })
    await new Promise<void>((resolve) => helper.listen(path(), resolve))
  })
  after(() => {
    helper.close()
    rmSync(folder, { recursive: true })
  })

  const run = (args: readonly string[], socket = path()): Promise<Ended> =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], PANEL_STATE_DIR: folder, PANEL_HELPER_SOCKET: socket }
      const [program, script] = shipped('tunnel-panel')
      const child = execFile(program, [script, ...args], { env }, (_failure, out, output) =>
        resolve({ code: child.exitCode ?? -1, out, output }),
      )
    })
  /** One line of a message and no stack. */
  const failsWith = ({ code, out, output }: Ended, sentence: RegExp, expected = 1): void => {
    assert.match(output, sentence)
    assert.deepEqual([code, out, output.trimEnd().split('\n').length], [expected, '', 1], output)
    assert.doesNotMatch(output, /\bat .*\.[jt]s|Error:/)
  }

  for (const command of COMMANDS) {
    it(`names the socket and the service if nothing listens there: ${command.join(' ')}`, async () => {
      const [none, stale] = [join(folder, 'none.sock'), join(folder, 'file.sock')]
      writeFileSync(stale, '')
      for (const socket of [none, stale])
        failsWith(
          await run(command, socket),
          new RegExp(`^The helper cannot be reached at ${socket} \\(E\\w+\\): is tunnel-panel-helper running\\?`),
        )
    })

    it(`says that another program has answered, if it is no answer of the helper: ${command.join(' ')}`, async () => {
      answer = (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      failsWith(
        await run(command),
        /^What answers at .*helper\.sock is not the root helper of this version: HTTP\/1\.1/,
      )
    })
  }

  for (const line of [
    'null',
    '5',
    '"text"',
    '[]',
    '{}',
    '{"id":1}',
    '{"id":1,"error":"no"}',
    '{"id":2,"result":{}}',
    '{',
    '',
  ])
    it(`says so of a line that is ${line === '' ? 'empty' : line}`, async () => {
      answer = (socket) => socket.end(`${line}\n`)
      failsWith(await run(['rpc', 'host.probe']), /^What answers at .* is not the root helper of this version/)
    })

  for (const [command, result] of [
    [['safe-apply'], {}],
    [['safe-apply'], { window: { window_id: 'x' }, ended: null }],
    [['limits'], {}],
    [['limits'], NO_PART],
  ] as const)
    it(`says so of a result that is none of the method: ${command.join(' ')}, ${JSON.stringify(result).slice(0, 30)}`, async () => {
      answer = (socket) => socket.end(`${JSON.stringify({ id: 1, result })}\n`)
      failsWith(await run(command), /^What answers at .* is not the root helper of this version: \{/)
    })

  it('says so of a line without an end', async () => {
    answer = (socket) => socket.write('x'.repeat(MAX_LINE_BYTES + 1))
    const { code, output } = await run(['rpc', 'host.probe'])
    assert.deepEqual([code, output.length < 500], [1, true])
    assert.match(output, /^What answers at .* is not the root helper of this version: xxx/)
  })

  it('says how such a line begins, also if its last character comes by itself', async () => {
    answer = (socket) => socket.write('x'.repeat(MAX_LINE_BYTES), () => setTimeout(() => socket.write('y'), 500))
    const { output } = await run(['rpc', 'host.probe'])
    assert.match(output, /^What answers at .* is not the root helper of this version: xxx/)
  })

  it('says that the connection has ended, if it ends before an answer or in the middle of one', async () => {
    for (const text of ['', '{"id":1,']) {
      answer = (socket) => socket.end(text)
      failsWith(await run(['rpc', 'host.probe']), /^The helper ended the connection without an answer/)
    }
  })

  it('shows what the helper refuses, also of a request that it cannot read', async () => {
    answer = (socket) => socket.end('{"id":null,"error":{"code":-32700,"message":"Parse error"}}\n')
    failsWith(await run(['rpc', 'host.probe']), /^The helper refused: Parse error/)
  })

  it('is wrong usage without a method, and with parameters that are no JSON', async () => {
    failsWith(await run(['rpc']), /^Name a method and its parameters as JSON, such as: tunnel-panel rpc host\.probe/, 2)
    failsWith(await run(['rpc', 'host.probe', '{parts}']), /^The parameters are not valid JSON: \{parts\}/, 2)
  })
})
