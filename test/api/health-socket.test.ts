// The web daemon and the helper's own server on a real socket: together, apart, and together again.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { connectHelper, type HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { quietly } from '../support/quietly.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { tunnelRequest } from '../support/records.ts'

describe('over the socket of the helper', () => {
  quietly()
  const directory = mkdtempSync(join(tmpdir(), 'panel-two-'))
  const path = join(directory, 'helper.sock')
  const sockets = new Set<Socket>()
  let server: Server
  let client: HelperClient
  let panel: TestPanel

  const startHelper = (): Promise<void> =>
    new Promise((resolve) => {
      const dispatch = dispatcherFor(handlersFor(inProcessHelper(new FakeKernel()).deps))
      server = serverFor(dispatch, () => ({}))
      server.on('connection', (socket) => sockets.add(socket))
      server.listen(path, resolve)
    })
  const stopHelper = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  before(async () => {
    await startHelper()
    client = connectHelper(path, makeLogger({ write: () => undefined }))
    panel = await startPanel({ request: client.request })
  })
  after(async () => {
    client.close()
    await panel.close()
    await stopHelper()
    rmSync(directory, { recursive: true })
  })

  it('capabilities are 200, 503 HELPER_UNAVAILABLE while it is away, and 200 once it is back', async () => {
    const operator = await panel.setUp()
    assert.equal((await operator.get('/system/capabilities')).status, 200)
    await stopHelper()
    const { status, error } = await operator.get('/system/capabilities')
    assert.deepEqual([status, error.code], [503, 'HELPER_UNAVAILABLE'])
    await startHelper()
    assert.equal((await operator.get('/system/capabilities')).status, 200)
  })

  it('a tunnel is made, listed and taken away', async () => {
    const operator = await panel.signIn()
    const made = await operator.post<{ tunnel: { tunnel_id: number }; verification: { ok: boolean } }>(
      '/tunnels',
      tunnelRequest({ remote_endpoint: '198.51.100.1' }),
    )
    assert.deepEqual([made.status, made.body.verification.ok], [201, true], made.text)
    assert.equal((await operator.get<{ total: number }>('/tunnels')).body.total, 1)
    assert.equal((await operator.delete(`/tunnels/${made.body.tunnel.tunnel_id}`)).status, 200)
  })
})
