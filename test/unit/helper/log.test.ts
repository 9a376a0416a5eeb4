// Root's log names every change and its requester, and cannot be filled by a client (root-helper/write-record.ts,
// root-helper/log.ts).
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { listenOn } from '@panel/root-helper/kernel/files/socket-file.ts'
import { probeForwarding } from '@panel/root-helper/nouns/forwarding/subject.ts'
import { LINES_PER_MINUTE } from '@panel/root-helper/log.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, from } from '../../support/faulty.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

type Line = Record<string, unknown>

describe("Root's log", () => {
  const log = quietly()
  let server: Server
  let path: string

  const serve = async (kernel: FakeKernel | FaultyKernel): Promise<void> => {
    path = join(mkdtempSync(join(tmpdir(), 'panel-log-')), 'helper.sock')
    server = serverFor(dispatcherFor(handlersFor(inProcessHelper(kernel as FakeKernel).deps)), () => ({ uid: 61184 }))
    await listenOn(server, path, '')
    log.length = 0
  }
  afterEach(() => void server.close())

  const send = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(path, () => socket.write(`${text}\n`))
      socket.on('error', () => undefined).once('data', () => socket.destroy())
      socket.once('close', () => resolve())
    })
  const ask = (method: string, params: object): Promise<void> =>
    send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const lines = (message: RegExp): Line[] =>
    log.map((line) => JSON.parse(line) as Line).filter((line) => message.test(String(line['message'])))
  const change = (): Line => {
    const [{ at: _at, duration_ms, message: _message, ...line } = {}, ...more] = lines(/^A change/)
    assert.ok(Number.isInteger(duration_ms) && more.length === 0, JSON.stringify(more))
    return line
  }

  it('has of a change what, of what, its steps, how it ended, and the requester, and nothing of its content', async () => {
    await serve(new FakeKernel())
    const { interface_name } = exampleTunnel()
    await ask('tunnel.apply', { before: null, after: exampleTunnel() })
    const { steps, ...line } = change()
    assert.deepEqual(line, {
      level: 'info',
      method: 'tunnel.apply',
      names: [interface_name],
      names_total: 1,
      outcome: 'applied',
      reason: '',
      peer: { uid: 61184 },
    })
    assert.ok((steps as string[]).includes('link_create'))
    assert.ok(!log.join('').includes('ikey'))
  })

  it('has one that went wrong, and one that was refused, with the reason', async () => {
    await serve(new FaultyKernel(new FakeKernel(), from(1, 'refuses')))
    await ask('ruleset.apply', { before: null, after: [exampleRule({ route_rule_id: 7 })] })
    assert.deepEqual([change()['level'], change()['outcome'], change()['names']], ['warning', 'restored', [7]])
    assert.match(String(change()['reason']), /\w/)
    server.close()
    await serve(new FakeKernel())
    await ask('ruleset.apply', { before: [exampleRule({ route_rule_id: 7 })], after: null })
    assert.deepEqual([change()['outcome'], change()['names']], ['refused', [7]])
    assert.match(String(change()['reason']), /^stale_state: The server does not hold/)
  })

  it('has the other changes too, and no reading', async () => {
    const kernel = new FakeKernel()
    await serve(kernel)
    const { state } = await probeForwarding(kernel.forwarding)
    const writes = Object.entries(METHODS).filter(([, { effect }]) => effect === 'write')
    await ask('ruleset.disconnect', { route_rule_ids: [1, 2], destinations: [] })
    await ask('ruleset.forget', { route_rule_ids: [3] })
    await ask('ruleset.protect', { wanted: true })
    await ask('forwarding.apply', { before: state, after: state })
    await ask('network.apply', { before: null, after: null })
    kernel.plant('gre-a-1', { state: exampleTunnel().link })
    await ask('tunnel.adopt', { interface_name: 'gre-a-1', link: exampleTunnel().link })
    await ask('tunnel.release', { interface_name: 'gre-a-1' })
    const window_id = 'a'.repeat(32)
    await ask('window.open', { window_id, seconds: 60 })
    await ask('window.extend', { window_id, seconds: 60 })
    await ask('window.cancel', { window_id })
    await ask('window.forget', { window_id })
    await ask('window.confirm', { window_id })
    await ask('ruleset.probe', { route_rule_ids: [], from_id: 0 })
    await ask('host.probe', { parts: ['listeners'] })
    assert.deepEqual(
      lines(/^A change/).map(({ method, outcome }) => [method, outcome]),
      [
        ['ruleset.disconnect', 'done'],
        ['ruleset.forget', 'done'],
        ['ruleset.protect', 'done'],
        ['forwarding.apply', 'applied'],
        ['network.apply', 'applied'],
        ['tunnel.adopt', 'done'],
        ['tunnel.release', 'done'],
        ['window.open', 'done'],
        ['window.extend', 'done'],
        ['window.cancel', 'done'],
        ['window.forget', 'done'],
        ['window.confirm', 'refused'],
      ],
    )
    assert.equal(writes.length, 14)
  })

  it('has so many malformed lines a minute and no more, while a change among them is never left out', async () => {
    await serve(new FakeKernel())
    for (let at = 0; at < 2 * LINES_PER_MINUTE; at += 1) await send('{')
    await ask('ruleset.forget', { route_rule_ids: [3] })
    for (const message of [/malformed/, /^connected/, /^disconnected/])
      assert.ok(lines(message).length <= LINES_PER_MINUTE, String(message))
    assert.equal(lines(/^A change/).length, 1)
  })
})
