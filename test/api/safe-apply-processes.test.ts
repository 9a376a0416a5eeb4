// Safe apply between processes: the web daemon dies in a window, and an administrator keeps or puts back changes
// without it.
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { eventually } from '../support/eventually.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper, noJournal } from '../support/in-process-helper.ts'
import { quietly } from '../support/quietly.ts'
import { AS_NOBODY, privateToNobody } from './support/as-nobody.ts'
import { Client } from './support/client.ts'
import { OPERATOR } from './support/panel.ts'
import { createRoute, listRoutes } from './support/routes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

describe('Changes that wait for a confirmation', function () {
  quietly()
  let directory: string
  let kernel: FakeKernel
  let clock: FakeClock
  let helper: Server
  let daemon: ChildProcess | null = null
  const env = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    PANEL_STATE_DIR: directory,
    PANEL_HELPER_SOCKET: join(directory, 'helper.sock'),
    PANEL_LISTEN_PORT: '0',
  })

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'panel-window-'))
    kernel = new FakeKernel()
    clock = new FakeClock()
    const { deps } = inProcessHelper(kernel, noJournal(), clock)
    helper = serverFor(dispatcherFor(handlersFor(deps)), () => ({}))
    await new Promise<void>((resolve) => helper.listen(join(directory, 'helper.sock'), resolve))
    chmodSync(join(directory, 'helper.sock'), 0o666)
    privateToNobody(directory)
  })
  afterEach(() => {
    daemon?.kill('SIGKILL')
    helper.close()
    rmSync(directory, { recursive: true })
  })

  const start = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const [program = '', ...args] = [...AS_NOBODY, process.execPath, '--import', 'tsx', 'web-daemon/app/main.ts']
      const child = spawn(program, args, { env: env(), cwd: ROOT })
      daemon = child
      child.stdout.once('data', (line) => resolve(String(line).trim().split(' ').at(-1) ?? ''))
      child.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
    })
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => daemon?.once('close', resolve))
    daemon?.kill('SIGKILL')
    await ended
  }
  const command = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', 'web-daemon/cli/main.ts', 'safe-apply', ...args],
      {
        env: env(),
        cwd: ROOT,
      },
    )
    return stdout
  }

  it('are put back by root while the web daemon is dead, and its store follows when it runs again', async () => {
    const client = new Client(await start())
    await client.post('/auth/setup', OPERATOR)
    await client.post('/safe-apply', { seconds: 60 })
    assert.equal((await createRoute(client)).status, 201)
    await kill()
    await clock.advance(60_000)
    const again = new Client(await start())
    for (const [name, value] of client.cookies) again.cookies.set(name, value)
    await eventually(async () => (await again.get<SafeApplyAnswer>('/safe-apply')).body.last?.ended_how === 'expired')
    assert.equal((await listRoutes(again)).body.total, 0)
    assert.equal(kernel.rulesets.rules.size, 0)
    assert.equal((await createRoute(again)).status, 201)
  })

  it('are shown, kept and put back by a command that needs no web daemon', async () => {
    assert.match(await command(), /^No changes are waiting/)
    await assert.rejects(command('confirm'), /No changes are waiting/)
    assert.equal(await command('cancel', '--if-any'), '')
    await assert.rejects(command('cancel', '--if-all'), /Say status, confirm or cancel/)
    await assert.rejects(command('keep'), /Say status, confirm or cancel/)
    const client = new Client(await start())
    await client.post('/auth/setup', OPERATOR)
    for (const [word, rules] of [
      ['cancel', 0],
      ['confirm', 1],
    ] as const) {
      await client.post('/safe-apply', { seconds: 60 })
      assert.equal((await createRoute(client)).status, 201)
      await kill()
      assert.match(
        await command('status'),
        /^2 changes wait[^]*put back in \d+ s\.\nRelay rules: \d+\nIP forwarding: changed\n$/,
      )
      assert.match(await command(word), word === 'confirm' ? /are kept/ : /are put back/)
      assert.equal(kernel.rulesets.rules.size, rules)
      const again = new Client(await start())
      client.cookies.forEach((value, name) => again.cookies.set(name, value))
      await eventually(async () => (await listRoutes(again)).body.total === rules)
      Object.assign(client, { base: again.base })
    }
  })
})
