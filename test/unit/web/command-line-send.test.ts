// The errors of the command line where a panel does not answer, or not to the end.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { CommandError } from '@panel/web-daemon/cli/errors.ts'
import { send } from '@panel/web-daemon/cli/api/send.ts'
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
