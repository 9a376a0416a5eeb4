// The helper's socket as a stranger finds it: whatever comes in, the helper lives, refuses, and the kernel is
// unchanged.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { listenOn } from '@panel/root-helper/kernel/files/socket-file.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { StreamSlots, Streams } from '@panel/root-helper/streams.ts'
import { REFUSALS } from '@panel/shared/rpc/outcome.ts'
import { repetitions } from '../../support/counts.ts'
import { bySystemd, exampleConfig, exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const REQUESTS = repetitions('PANEL_DISPATCHED')

const path = join(mkdtempSync(join(tmpdir(), 'panel-socket-')), 'helper.sock')
const kernel = new FakeKernel()
const handlers = handlersFor(inProcessHelper(kernel).deps)
const dispatch = dispatcherFor(handlers)

const request = (more: Record<string, unknown>): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tunnel.probe', params: { interface_names: [] }, ...more })

/** Sends bytes, and resolves with all that comes back before the far end closes or a whole line arrived. */
function exchange(bytes: string | Uint8Array, untilClose: boolean): Promise<{ answer: string; closed: boolean }> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket: Socket = connect(path, () => socket.write(bytes))
    const finish = (closed: boolean) => (socket.destroy(), resolve({ answer, closed }))
    socket.on('data', (data) => {
      answer += data.toString()
      if (!untilClose && answer.includes('\n')) finish(false)
    })
    socket.on('close', () => finish(true))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? finish(true) : reject(error),
    )
  })
}

/** The streams of a connection that is over: a subscription ends at once. */
function endedStreams(places: StreamSlots): Streams {
  const streams = new Streams(async () => undefined, places)
  streams.endAll()
  return streams
}

async function livesOn(): Promise<void> {
  const { answer } = await exchange(`${request({ id: 7 })}\n`, false)
  assert.deepEqual(JSON.parse(answer), { jsonrpc: '2.0', id: 7, result: { tunnels: [] } })
  assert.deepEqual(kernel.changes, [])
}

describe("The helper's socket", () => {
  quietly()
  let server: Server
  before(async () => {
    server = serverFor(dispatch, () => ({}))
    await listenOn(server, path, '')
  })
  after(() => server.close())

  const MALFORMED: Record<string, string> = {
    'half a JSON value': '{"jsonrpc":"2.0"',
    'JSON that is nested without end': request({ params: { interface_names: 0 } }).replace('0}', '['.repeat(100_000)),
    null: 'null',
    'a number': '42',
    'a batch': `[${request({})},${request({})}]`,
    'an empty batch': '[]',
    'an empty line': '',
    'an unknown method': request({ method: 'tunnel.explode' }),
    'a method of Object': request({ method: 'constructor' }),
    'a property that JSON-RPC does not know': request({ also: 1 }),
    'a request without an id': JSON.stringify({
      jsonrpc: '2.0',
      method: 'tunnel.probe',
      params: { interface_names: [] },
    }),
    'another version of JSON-RPC': request({ jsonrpc: '1.0' }),
    'params with an extra property': request({ params: { interface_names: [], path: '/etc/shadow' } }),
    'params that are a list': request({ params: [] }),
    'no params': request({ params: undefined }),
    'a name that is a path': request({ params: { interface_names: ['../../etc/passwd'] } }),
    'a name that is a command': request({ params: { interface_names: ['a;reboot'] } }),
    'a stream whose id is a text': request({ method: 'events.subscribe', params: {}, id: 'x' }),
    'a stream whose id is no whole number': request({ method: 'events.subscribe', params: {}, id: 1.5 }),
    'a second stream with the id of the first': `${request({ method: 'events.subscribe', params: {} })}\n${request({ method: 'events.subscribe', params: {} })}`,
    'a change of nothing': request({ method: 'tunnel.apply', params: { before: null, after: null } }),
    'an address that only looks like one': request({
      method: 'tunnel.apply',
      params: {
        before: null,
        after: { ...exampleTunnel(), link: null, saved: bySystemd({ ...exampleConfig, local_endpoint: '1.2.3.4.5' }) },
      },
    }),
  }
  for (const [what, line] of Object.entries(MALFORMED)) {
    it(`answers ${what} with an error, closes the connection, and lives`, async () => {
      const { answer, closed } = await exchange(`${line}\n`, true)
      assert.ok(closed)
      const { error } = JSON.parse(answer) as { error: { code: number; message: string } }
      assert.ok(error.code === -32600 || error.code === REFUSALS.malformed, answer)
      assert.ok(error.message.length > 10)
      await livesOn()
    })
  }

  it('answers bytes that are no UTF-8 with an error, and lives', async () => {
    const { answer } = await exchange(Uint8Array.from([0x22, 0xff, 0xfe, 0x22, 0x0a]), true)
    assert.match(answer, /not one JSON value in UTF-8/)
    await livesOn()
  })

  it('closes on a line of 10 MB without keeping it, and lives', async () => {
    const { answer, closed } = await exchange(Buffer.alloc(10 * 1024 * 1024, 0x20), true)
    assert.ok(closed)
    assert.ok(answer === '' || answer.includes('longer than'))
    await livesOn()
  })

  it('waits for the other half of a line, and loses no character that a packet cut in two', async () => {
    const bytes = Buffer.from(`${request({ id: 'é' })}\n`)
    const cut = bytes.indexOf(0xc3) + 1
    const socket = connect(path)
    socket.write(bytes.subarray(0, cut))
    await new Promise((resolve) => setTimeout(resolve, 30))
    socket.write(bytes.subarray(cut))
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    socket.destroy()
    assert.equal((JSON.parse(answer) as { id: string }).id, 'é')
  })

  it('answers a far end that has sent all it has to send, like socat with a line from a pipe', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect({ path, allowHalfOpen: true }, () =>
        socket.end(`${request({ id: 1 })}\n${request({ id: 2 })}\n`),
      )
      socket.on('data', (data) => (text += data.toString()))
      socket
        .on('error', reject)
        .on('close', () => resolve(text))
        .on('end', () => socket.destroy())
    })
    assert.deepEqual(
      answer
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: number }).id),
      [1, 2],
    )
  })

  it('refuses a second helper on the same path', async () => {
    await assert.rejects(
      listenOn(
        serverFor(dispatch, () => ({})),
        path,
        '',
      ),
      /already listening/,
    )
  })
})

describe('The dispatcher', () => {
  quietly()
  it(`refuses ${REQUESTS} mutated requests without a change and without a failure nobody foresaw`, async function () {
    const good = [
      request({}),
      request({ method: 'tunnel.verify', params: { before: null, after: exampleTunnel() } }),
      request({ method: 'tunnel.apply', params: { before: exampleTunnel(), after: exampleTunnel({ mtu: 1400 }) } }),
      request({ method: 'host.probe', params: { parts: ['interfaces'] } }),
      request({ method: 'events.subscribe', params: {} }),
      request({ method: 'stream.cancel', params: { id: 1 } }),
    ]
    const encoder = new TextEncoder()
    const mutation = fc.record({
      line: fc.constantFrom(...good),
      at: fc.nat(1500),
      drop: fc.nat(6),
      insert: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom('null', '[]', '{}', '-1', '1e99', '"', '}', ',', '\\u0000', '__proto__', '0.5', 'true'),
      ),
    })
    const places = new StreamSlots()
    let refused = 0
    await fc.assert(
      fc.asyncProperty(mutation, async ({ line, at, drop, insert }) => {
        const where = at % line.length
        const { text } = await dispatch(
          encoder.encode(line.slice(0, where) + insert + line.slice(where + drop)),
          endedStreams(places),
        )
        const { error } = JSON.parse(text) as { error?: { code: number } }
        if (error) refused += 1
        assert.notEqual(error?.code, -32603, `${line} cut at ${where}: ${text}`)
      }),
      { numRuns: REQUESTS },
    )
    assert.ok(refused > REQUESTS / 2, `only ${refused} were refused`)
    assert.equal(places.taken, 0)
    assert.deepEqual(kernel.changes, [])
  })
})
