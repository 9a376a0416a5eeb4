// What a command prints never steers its user's terminal, though a store, a daemon or a helper in other hands has
// written it.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as httpServer, type Server as HttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { visible } from '@panel/web-daemon/cli/print.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { shipped } from '../../support/shipped.ts'
import { newTunnel } from '../../support/records.ts'

/** It clears the screen, sets the title (in both spellings), and turns what follows around. */
const EVIL = '\u001b[2J\u001b]0;x\u0007\u009b2J\u202eevil\u2066\r\u0000'
const STEERING = /[^\P{C}\n\u00ad]/u

describe('A command', function () {
  let state: string
  let daemon: HttpServer
  let helper: Server
  let answer: (line: string) => object[]
  const helperSocket = (): string => join(state, 'helper.sock')

  before(async () => {
    state = mkdtempSync(join(tmpdir(), 'panel-output-'))
    daemon = httpServer((_req, res) =>
      res.end(
        JSON.stringify({ status: `ok${EVIL}`, components: [{ name: EVIL, status: EVIL, detail: `${EVIL}\nsecond` }] }),
      ),
    )
    helper = createServer((socket) =>
      socket.once('data', (line) =>
        socket.end(
          answer(String(line))
            .map((one) => `${JSON.stringify(one)}\n`)
            .join(''),
        ),
      ),
    )
    await new Promise<void>((resolve) => daemon.listen(0, '127.0.0.1', resolve))
    await new Promise<void>((resolve) => helper.listen(helperSocket(), resolve))
  })
  after(() => {
    daemon.close()
    helper.close()
    rmSync(state, { recursive: true })
  })

  const run = (...args: string[]): Promise<{ out: string; output: string }> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env['PATH'],
        PANEL_STATE_DIR: state,
        PANEL_HELPER_SOCKET: helperSocket(),
        PANEL_LISTEN_PORT: String((daemon.address() as AddressInfo).port),
      }
      const [program, script] = shipped('tunnel-panel')
      execFile(program, [script, ...args], { env }, (_failure, out, output) => {
        assert.doesNotMatch(out + output, STEERING)
        resolve({ out, output })
      })
    })

  it('shows control characters of a daemon that is none by their numbers, and begins no line for them', async () => {
    const { out } = await run('status')
    const [, , status, component, problem, ...more] = out.trimEnd().split('\n')
    assert.equal(status, `Health of the panel: ok${visible(EVIL)}`)
    assert.match(component ?? '', /\\u001b\[2J.*\\u202eevil.*\\nsecond$/)
    assert.match(problem ?? '', /no account yet/)
    assert.deepEqual(more, ['Tunnels: not known', 'Relay rules: not known'])
  })

  it('does so with items, results and errors of the helper, and JSON stays JSON', async () => {
    answer = () => [
      { method: 'stream.item', params: { item: EVIL } },
      { id: 1, result: { [EVIL]: EVIL } },
    ]
    const [item = '', ...result] = (await run('rpc', 'host.probe')).out.split('\n')
    assert.deepEqual(JSON.parse(item), { method: 'stream.item', params: { item: EVIL } })
    assert.deepEqual(JSON.parse(result.join('\n')), { [EVIL]: EVIL })
    answer = () => [{ id: 1, error: { code: 1, message: EVIL } }]
    assert.match((await run('rpc', 'host.probe')).output, /^The helper refused: \\u001b\[2J/)
    assert.match((await run('rpc', 'host.probe', EVIL.replace('\0', ''))).output, /not valid JSON: \\u001b/)
  })

  it('does so with names in the store', async () => {
    const db = await openStore(join(state, 'panel.db'))
    await insertTunnel(db, newTunnel({ interface_name: `gre${EVIL}\nlo` }))
    await db.destroy()
    assert.equal((await run('interfaces')).out, `gre${visible(EVIL)}\\nlo\n`)
  })

  it('goes on if nobody reads what it prints, as head(1) after its lines', async () => {
    const [program, script] = shipped('tunnel-panel')
    const child = spawn(program, [script, 'help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.deepEqual([output, code], ['', 0])
  })
})
