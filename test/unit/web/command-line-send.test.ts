// The errors of the command line where a panel does not answer, or not to the end.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommandError } from '@panel/web-daemon/cli/errors.ts'
import { readToken, refusePlainHttp, send } from '@panel/web-daemon/cli/api/send.ts'
import { listening } from '../../api/support/receivers.ts'

const CALL = { method: 'GET', path: '/tunnels', body: {} } as const

async function refusalOf(answer: (to: ServerResponse) => void): Promise<CommandError> {
  const server = createServer((_request, to) => answer(to))
  const url = `http://127.0.0.1:${await listening(server)}/`
  try {
    await send({ url, authorize: () => '', isLocal: false }, CALL, 200)
    return assert.fail('It was answered')
  } catch (thrown) {
    assert.ok(thrown instanceof CommandError)
    return thrown
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('The command line, before a panel', () => {
  const drip = (to: ServerResponse): void => {
    to.writeHead(200)
    const timer = setInterval(() => to.write(' '), 20)
    to.once('close', () => clearInterval(timer))
  }
  const breakOff = (to: ServerResponse): void => {
    to.writeHead(200, { 'Content-Length': 100 })
    to.write('{"tunnels":', () => to.destroy())
  }
  for (const [what, answer, why] of [
    ['says nothing', () => undefined, 'no answer within 0.2 s'],
    ['does not come to an end', drip, 'no answer within 0.2 s'],
    ['breaks off', breakOff, 'ECONNRESET'],
  ] as const)
    it(`that ${what}, ends with the code 5 and the reason`, async () => {
      const { exitCode, message } = await refusalOf(answer)
      assert.equal(exitCode, 5)
      assert.ok(message.includes(`(${why})`), message)
    })
})

describe('The token of the command line', () => {
  it('crosses a network over TLS alone, and plain http to this host', () => {
    for (const url of ['https://panel.example/', 'http://127.0.0.1:8480/x/', 'http://[::1]:1/', 'http://localhost/'])
      refusePlainHttp(new URL(url))
    for (const url of [
      'http://panel.example/',
      'http://10.0.0.1/',
      'http://127.0.0.1.example/',
      'http://localhost.example/',
    ])
      assert.throws(() => refusePlainHttp(new URL(url)), { message: /in the clear: use https/, exitCode: 2 }, url)
    assert.throws(() => refusePlainHttp(new URL('ftp://panel.example/')), { message: /begins with https/, exitCode: 2 })
  })

  it('is read from a file that only its owner can read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'panel-token-'))
    const file = join(folder, 'token')
    writeFileSync(file, 'tp_x\n')
    for (const mode of [0o600, 0o400]) {
      chmodSync(file, mode)
      assert.equal(readToken(file, {}), 'tp_x')
      assert.equal(readToken(null, { PANEL_TOKEN_FILE: file }), 'tp_x')
    }
    for (const mode of [0o640, 0o604, 0o666, 0o610]) {
      chmodSync(file, mode)
      assert.throws(() => readToken(file, {}), {
        message: `Other users may read the token in ${file}: chmod 600 ${file}`,
        exitCode: 2,
      })
    }
    rmSync(folder, { recursive: true })
  })

  it('is not sent to where the panel refers to', async () => {
    let isAsked = false
    const other = createServer((_request, to) => {
      isAsked = true
      to.end('{}')
    })
    const there = `http://127.0.0.1:${await listening(other)}/`
    for (const status of [301, 302, 307, 308]) {
      const { exitCode, message } = await refusalOf((to) => void to.writeHead(status, { Location: there }).end())
      assert.deepEqual(
        [exitCode, message.includes(`refers to ${there}, where the token is not sent`)],
        [5, true],
        message,
      )
    }
    other.close()
    assert.equal(isAsked, false)
  })
})
