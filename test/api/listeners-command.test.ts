// What is done about listeners on the server itself: the key to the house (reference.md, System; decisions.md, Y11).
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readConfig } from '@panel/web-daemon/app/config.ts'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { forgetKeptListener, waysIn } from '@panel/web-daemon/cli/listeners.ts'
import { keepListener } from '@panel/web-daemon/features/listeners/store.ts'
import { shipped } from '../support/shipped.ts'
import { quietly } from '../support/quietly.ts'
import { Client } from './support/client.ts'
import { startDaemonIn } from './support/daemon-on-disk.ts'
import { closedPort } from './support/listeners.ts'
import { OPERATOR } from './support/panel.ts'

describe('On the server', () => {
  quietly()
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'panel-ways-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  const config = (more: Record<string, string> = {}) => readConfig({ PANEL_STATE_DIR: folder, ...more })
  const configured = { address: '127.0.0.1', port: 8480 }
  const kept = async (port = 8443, at = configured): Promise<void> => {
    const db = await openStore(join(folder, 'panel.db'))
    const listener = { listener_id: 1, address: '127.0.0.2', port, tls: { cert: 'x', sealed_key: Buffer.from('y') } }
    await keepListener(db, { ...listener, ...(port === 8443 ? {} : { tls: null }) }, at, new Date())
    await db.destroy()
  }

  it('the panel is where it was kept, and else where it is configured, also before it was ever started', async () => {
    const way = { ...configured, is_tls: false }
    assert.deepEqual(await waysIn(config()), [way])
    await kept()
    assert.deepEqual(await waysIn(config()), [{ address: '127.0.0.2', port: 8443, is_tls: true }, way])
  })

  it('a configuration that was changed since counts before what was kept', async () => {
    await kept()
    assert.deepEqual(await waysIn(config({ PANEL_LISTEN_PORT: '8481' })), [
      { ...configured, port: 8481, is_tls: false },
    ])
  })

  it('what was kept can be forgotten, with its key', async () => {
    await kept()
    await forgetKeptListener(config())
    assert.deepEqual(await waysIn(config()), [{ ...configured, is_tls: false }])
    await forgetKeptListener(config())
  })

  it('the commands say where it listens, and ask for its health there', async () => {
    const port = await closedPort('127.0.0.2')
    const at = { address: '127.0.0.1', port: 0 }
    await kept(port, at)
    const daemon = await startDaemonIn(folder)
    assert.equal(daemon.base, `http://127.0.0.2:${port}/`)
    // Details are for a reader of the signing key, which comes with the account.
    assert.equal((await new Client(daemon.base).post('/auth/setup', OPERATOR)).status, 201)
    const env = { PATH: process.env['PATH'], PANEL_STATE_DIR: folder, PANEL_LISTEN_PORT: '0' }
    const run = async (command: string): Promise<string> => {
      const [program, path] = shipped('tunnel-panel')
      const ran = promisify(execFile)(program, [path, command], { env })
      return (await ran.catch((failed: { stdout: string; stderr: string }) => failed)).stdout
    }
    assert.equal(await run('listens'), `127.0.0.2 ${port} http\n`)
    assert.match(await run('status'), new RegExp(`listener +ok +The panel listens at 127\\.0\\.0\\.2 port ${port}`))
    await daemon.stop()
  })
})
