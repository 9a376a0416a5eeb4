// Streams of the root helper as the web daemon reads them: from a helper that behaves, one that does not, and one that
// is restarted.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LOST, type HostEvent } from '@panel/shared/events/model.ts'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { listenOn } from '@panel/root-helper/kernel/files/socket-file.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { StreamSlots } from '@panel/root-helper/streams.ts'
import { watchKernel, type KernelWatch } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import { connectHelper, type HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const directory = mkdtempSync(join(tmpdir(), 'panel-web-streams-'))
const path = join(directory, 'helper.sock')
const away = (failure: unknown): boolean => failure instanceof Refusal && failure.code === 'HELPER_UNAVAILABLE'

describe('a stream of the root helper', () => {
  quietly()
  const log: string[] = []
  const sockets = new Set<Socket>()
  let server: Server | null = null
  let client: HelperClient
  let kernel: FakeKernel
  let places: StreamSlots
  let received: HostEvent[]
  let ending: AbortController

  const keep = (socket: Socket): void => void sockets.add(socket.on('error', () => undefined))
  const startHelper = async (): Promise<void> => {
    places = new StreamSlots()
    kernel = new FakeKernel()
    server = serverFor(dispatcherFor(handlersFor(inProcessHelper(kernel).deps)), () => ({}), { slots: places }).on(
      'connection',
      keep,
    )
    await listenOn(server, path, '')
  }
  /** A helper that says what the test has it say to each line. */
  const startLiar = (
    behave: (request: { id: number; method: string }, say: (value: unknown) => void) => void,
  ): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        const say = (value: unknown): void => void socket.write(`${JSON.stringify(value)}\n`)
        socket.on('data', (data) => {
          for (const line of String(data).trim().split('\n'))
            behave(JSON.parse(line) as { id: number; method: string }, say)
        })
      })
        .on('connection', keep)
        .listen(path, resolve)
    })
  const stopHelper = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    server = null
    rmSync(path, { force: true })
  }
  const subscribe = (onItem = ({ events }: { events: HostEvent[] }): void => void received.push(...events)) =>
    client.stream('events.subscribe', {}, onItem, ending.signal)

  const connect = (timeouts?: { read: number; write: number }): HelperClient =>
    connectHelper(path, makeLogger({ write: (line) => void log.push(line) }), timeouts)

  beforeEach(() => {
    received = []
    ending = new AbortController()
    client = connect()
  })
  afterEach(async () => {
    ending.abort()
    client.close()
    await stopHelper()
  })
  after(() => rmSync(directory, { recursive: true }))

  it('hands over each item, beside other questions and other streams, and ends with its result when it is aborted', async () => {
    await startHelper()
    const others: HostEvent[] = []
    const ended = subscribe()
    const other = new AbortController()
    const otherEnded = client.stream('events.subscribe', {}, ({ events }) => void others.push(...events), other.signal)
    await eventually(() => received.length === 1 && others.length === 1)
    kernel.plant('vx-1', { index: 3 })
    assert.deepEqual(await client.request('tunnel.probe', { interface_names: [] }), { tunnels: [] })
    await eventually(() => received.length === 2 && others.length === 2)
    ending.abort()
    assert.deepEqual(await ended, {})
    kernel.plant('vx-1', { index: 4 })
    await eventually(() => others.length === 3)
    assert.deepEqual(received, [LOST, { subject: 'link', interface_name: 'vx-1', index: 3, is_removal: false }])
    assert.equal(sockets.size, 1)
    other.abort()
    assert.deepEqual(await otherEnded, {})
    assert.deepEqual([places.taken, kernel.listeners.size], [0, 0])
  })

  it('rejects where nothing listens, and at once where the connection is lost', async () => {
    await assert.rejects(subscribe(), away)
    await startHelper()
    const ended = subscribe()
    await eventually(() => received.length === 1)
    await stopHelper()
    await assert.rejects(ended, away)
  })

  it('rejects with the words of root where it refuses', async () => {
    await startHelper()
    const reasons: unknown[] = []
    const all = Array.from({ length: 33 }, () => subscribe().catch((reason: unknown) => void reasons.push(reason)))
    await Promise.race(all)
    const [reason, ...others] = reasons
    assert.ok(reason instanceof Refusal && reason.code === 'SERVICE_UNAVAILABLE' && reason.details['reason'] === 'busy')
    assert.deepEqual([others, places.taken], [[], 32])
  })

  it('is not requested with a signal that is aborted already', async () => {
    ending.abort()
    await assert.rejects(subscribe(), { name: 'AbortError' })
  })

  it('ends where an item is out of shape, or its reader throws, and leaves nothing running', async () => {
    const requests: string[] = []
    for (const item of [{}, { events: [] }, { events: [{ ...LOST, more: 1 }] }, 5, null]) {
      await startLiar(({ id, method }, say) => {
        requests.push(method)
        say(
          method === 'stream.cancel'
            ? { jsonrpc: '2.0', id, result: { was_running: true } }
            : { jsonrpc: '2.0', method: 'stream.item', params: { id, item } },
        )
      })
      await assert.rejects(subscribe(), away)
      await eventually(() => requests.at(-1) === 'stream.cancel')
      await stopHelper()
      await eventually(() => !client.isConnected())
    }
    assert.deepEqual(received, [])
    await startHelper()
    await assert.rejects(
      subscribe(() => {
        throw new Error('the reader is at fault')
      }),
      /the reader is at fault/,
    )
    await eventually(() => places.taken === 0)
    assert.deepEqual(await client.request('tunnel.probe', { interface_names: [] }), { tunnels: [] })
  })

  it('is given up where root does not end it', async () => {
    client = connect({ read: 150, write: 300 })
    await startLiar(
      ({ id, method }, say) => method === 'stream.cancel' && say({ jsonrpc: '2.0', id, result: { was_running: true } }),
    )
    const ended = subscribe()
    await eventually(() => client.isConnected())
    ending.abort()
    await assert.rejects(ended, away)
  })

  it('drops an item of a stream that it does not know, and closes on what only looks like one', async () => {
    await startLiar(({ id }, say) => {
      say({ jsonrpc: '2.0', method: 'stream.item', params: { id: 999, item: {} } })
      say({ jsonrpc: '2.0', id, result: {} })
    })
    assert.deepEqual(await subscribe(), {})
    for (const odd of [
      { jsonrpc: '2.0', method: 'stream.item' },
      { jsonrpc: '2.0', method: 'stream.item', params: { id: 'x', item: {} } },
      { jsonrpc: '2.0', method: 'other', params: { id: 2, item: {} } },
    ]) {
      await stopHelper()
      await eventually(() => !client.isConnected())
      await startLiar((_request, say) => say(odd))
      await assert.rejects(subscribe(), away)
    }
  })

  describe('that watches the kernel', () => {
    let watch: KernelWatch
    const logger = makeLogger({ write: (line) => void log.push(line) })
    const begin = (): void =>
      void (watch = watchKernel({
        stream: client.stream,
        logger,
        listener: (events) => void received.push(...events),
        pauses: { first: 10, last: 40 },
      }))

    it('is taken up again with each helper, and says "lost" each time', async () => {
      begin()
      for (let round = 1; round <= 3; round += 1) {
        await sleep(30)
        await startHelper()
        await eventually(() => received.length === 2 * round - 1)
        kernel.plant('vx-1', { index: round })
        await eventually(() => received.length === 2 * round)
        await stopHelper()
      }
      assert.deepEqual(
        received.map(({ subject, index }) => `${subject} ${index}`),
        ['lost 0', 'link 1', 'lost 0', 'link 2', 'lost 0', 'link 3'],
      )
      await watch.close()
    })

    it('closes while it listens and while it waits, and hears nothing more', async () => {
      begin()
      await watch.close()
      await startHelper()
      begin()
      await eventually(() => received.length === 1)
      await watch.close()
      kernel.plant('vx-1', { index: 1 })
      await sleep(40)
      assert.deepEqual([received, places.taken, kernel.listeners.size], [[LOST], 0, 0])
    })
  })
})
