// A stopping helper: what is under way is finished and answered, everything else ends at once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { listenOn } from '@panel/root-helper/kernel/files/socket-file.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const path = join(mkdtempSync(join(tmpdir(), 'panel-stopping-')), 'helper.sock')
const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

describe('A stopping helper', () => {
  quietly()

  it('answers what is under way, ends streams and idle connections, and reads nothing more', async () => {
    const stopping = new AbortController()
    const kernel = new FakeKernel()
    let goOn: () => void = () => undefined
    const held = new Promise<void>((resolve) => (goOn = resolve))
    let notify: () => void = () => undefined
    const isAsked = new Promise<void>((resolve) => (notify = resolve))
    const handlers = handlersFor(inProcessHelper(kernel).deps)
    const slow = async () => (notify(), await held, { tunnels: [] })
    const server = serverFor(dispatcherFor({ ...handlers, 'tunnel.probe': slow }), () => ({}), {
      stopping: stopping.signal,
    })
    await listenOn(server, path, '')

    const busy = connect(path)
    const idle = connect(path)
    const listening = connect(path)
    await Promise.all([busy, idle, listening].map((socket) => once(socket, 'connect')))
    let output = ''
    busy.on('data', (data) => (output += data.toString()))
    idle.resume()
    listening.write(request(1, 'events.subscribe', {}))
    await once(listening, 'data')
    listening.resume()
    busy.write(request(7, 'tunnel.probe', { interface_names: [] }))
    await isAsked

    const closed = once(server, 'close')
    const endings = [once(idle, 'close'), once(listening, 'close')]
    stopping.abort()
    await Promise.all(endings)
    busy.write(request(8, 'link.probe', { interface_names: [] }))
    assert.equal(output, '')
    // The kernel resets a connection that is closed with a request unread, after the answers that were sent.
    const ended = new Promise((resolve) => busy.once('close', resolve).on('error', () => undefined))
    goOn()
    await ended
    await closed
    assert.deepEqual(
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      [{ jsonrpc: '2.0', id: 7, result: { tunnels: [] } }],
    )
    await assert.rejects(once(connect(path), 'connect'))
  })
})
