// Safe apply between processes: the web daemon dies in a window, and an administrator keeps or puts back changes
// without it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { eventually } from '../support/eventually.ts'
import { shipped } from '../support/shipped.ts'
import { quietly } from '../support/quietly.ts'
import { OPERATOR } from './support/panel.ts'
import { Processes } from './support/processes.ts'
import { createRoute, listRoutes } from './support/routes.ts'

const run = promisify(execFile)

describe('Changes that wait for a confirmation', function () {
  quietly()
  let processes: Processes
  beforeEach(async () => {
    processes = new Processes()
    await processes.open()
  })
  afterEach(() => processes.close())

  const command = async (...args: string[]): Promise<string> => {
    const [program, path] = shipped('tunnel-panel')
    return (await run(program, [path, 'safe-apply', ...args], { env: processes.env })).stdout
  }

  it('are put back by root while the web daemon is dead, and its store follows when it runs again', async () => {
    const client = await processes.start()
    await client.post('/auth/setup', OPERATOR)
    await client.post('/safe-apply', { seconds: 60 })
    assert.equal((await createRoute(client)).status, 201)
    await processes.kill()
    await processes.clock.advance(60_000)
    const again = await processes.start(client)
    await eventually(async () => (await again.get<SafeApplyAnswer>('/safe-apply')).body.last?.ended_how === 'expired')
    assert.equal((await listRoutes(again)).body.total, 0)
    assert.equal(processes.kernel.rulesets.rules.size, 0)
    assert.equal((await createRoute(again)).status, 201)
  })

  it('are shown, kept and put back by a command that needs no web daemon', async () => {
    assert.match(await command(), /^No changes are waiting/)
    await assert.rejects(command('confirm'), /No changes are waiting/)
    assert.equal(await command('cancel', '--if-any'), '')
    await assert.rejects(command('cancel', '--if-all'), /Say status, confirm or cancel/)
    await assert.rejects(command('keep'), /Say status, confirm or cancel/)
    const client = await processes.start()
    await client.post('/auth/setup', OPERATOR)
    for (const [word, rules] of [
      ['cancel', 0],
      ['confirm', 1],
    ] as const) {
      await client.post('/safe-apply', { seconds: 60 })
      assert.equal((await createRoute(client)).status, 201)
      await processes.kill()
      assert.match(
        await command('status'),
        /^2 changes wait[^]*put back in \d+ s\.\nRelay rules: \d+\nIP forwarding: changed\n$/,
      )
      assert.match(await command(word), word === 'confirm' ? /are kept/ : /are put back/)
      assert.equal(processes.kernel.rulesets.rules.size, rules)
      const again = await processes.start(client)
      await eventually(async () => (await listRoutes(again)).body.total === rules)
      Object.assign(client, { base: again.base })
    }
  })
})
