// Streams over the helper's socket: items until the answer, at the reader's pace, bounded, and over with their
// connection.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostEvent } from '@panel/shared/events/model.ts'
import { REFUSALS } from '@panel/shared/rpc/outcome.ts'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor } from '@panel/root-helper/handlers.ts'
import { listenOn } from '@panel/root-helper/kernel/files/socket-file.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { StreamSlots } from '@panel/root-helper/streams.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { code: number; message: string }
  readonly method?: string
  readonly params?: { id: number; item: { events: HostEvent[] } }
}

const path = join(mkdtempSync(join(tmpdir(), 'panel-streams-')), 'helper.sock')
const subscribe = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'events.subscribe', params: {} })
const cancel = (id: number, which: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'stream.cancel', params: { id: which } })

/** A far end: says lines, and keeps the messages that come. */
class FarEnd {
  readonly received: Message[] = []
  readonly socket: Socket
  isClosed = false
  #text = ''

  constructor(...lines: string[]) {
    this.socket = connect({ path, allowHalfOpen: true }, () => this.say(...lines))
    this.socket.on('data', (data) => {
      const parts = (this.#text + String(data)).split('\n')
      this.#text = parts.pop() ?? ''
      this.received.push(...parts.map((line) => JSON.parse(line) as Message))
    })
    this.socket.on('error', () => undefined).on('close', () => (this.isClosed = true))
  }

  say(...lines: string[]): void {
    this.socket.write(lines.map((line) => `${line}\n`).join(''))
  }

  events(id?: number): HostEvent[] {
    return this.received.flatMap(({ params }) =>
      params && (id === undefined || params.id === id) ? params.item.events : [],
    )
  }

  answer(id: number): Message | undefined {
    return this.received.find((message) => message.id === id)
  }
}

describe('Streams over the socket', () => {
  quietly()
  let server: Server
  let places: StreamSlots
  let kernel: FakeKernel

  const plant = (index: number): void => kernel.plant('vx-1', { index })
  const ended = (): boolean => places.taken === 0 && kernel.listeners.size === 0

  beforeEach(async () => {
    places = new StreamSlots(40)
    kernel = new FakeKernel()
    server = serverFor(dispatcherFor(handlersFor(inProcessHelper(kernel).deps)), () => ({}), { slots: places })
    await listenOn(server, path, '')
  })
  afterEach(() => server.close())

  it('begin with "lost", tell what follows, and end with an answer when cancelled', async () => {
    const far = new FarEnd(subscribe(7))
    await eventually(() => far.events().length === 1)
    assert.deepEqual(far.received, [
      {
        jsonrpc: '2.0',
        method: 'stream.item',
        params: { id: 7, item: { events: [{ subject: 'lost', interface_name: '', index: 0, is_removal: false }] } },
      },
    ])
    plant(5)
    await eventually(() => far.events().length === 2)
    assert.deepEqual(far.events()[1], { subject: 'link', interface_name: 'vx-1', index: 5, is_removal: false })
    far.say(cancel(8, 7))
    await eventually(() => far.answer(7) !== undefined && far.answer(8) !== undefined)
    assert.deepEqual([far.answer(7)?.result, far.answer(8)?.result], [{}, { was_running: true }])
    assert.ok(ended())
    plant(6)
    far.say(cancel(9, 7))
    await eventually(() => far.answer(9) !== undefined)
    assert.deepEqual([far.answer(9)?.result, far.events().length], [{ was_running: false }, 2])
    far.socket.destroy()
  })

  it('answer other requests of the connection meanwhile', async () => {
    const far = new FarEnd(
      subscribe(1),
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tunnel.probe', params: { interface_names: [] } }),
    )
    await eventually(() => far.answer(2) !== undefined)
    assert.deepEqual(far.answer(2)?.result, { tunnels: [] })
    far.socket.destroy()
  })

  it('gather what happens at once in one item, of 256 events at most', async () => {
    const far = new FarEnd(subscribe(1))
    await eventually(() => far.received.length === 1)
    for (let i = 1; i <= 600; i += 1) plant(i)
    await eventually(() => far.events().length === 601)
    assert.deepEqual(
      far.received.slice(1).map(({ params }) => params?.item.events.length),
      [256, 256, 88],
    )
    assert.deepEqual(
      far
        .events()
        .slice(1)
        .map(({ index }) => index),
      Array.from({ length: 600 }, (_, i) => i + 1),
    )
    far.socket.destroy()
  })

  it('share one watch of the kernel, opened with the first and closed after the last', async () => {
    assert.equal(kernel.listeners.size, 0)
    const [a, b] = [new FarEnd(subscribe(1), subscribe(2)), new FarEnd(subscribe(1))]
    await eventually(() => places.taken === 3)
    assert.equal(kernel.listeners.size, 1)
    a.say(cancel(9, 1))
    b.socket.destroy()
    await eventually(() => places.taken === 1)
    assert.equal(kernel.listeners.size, 1)
    plant(4)
    await eventually(() => a.events(2).length === 2)
    a.socket.destroy()
    await eventually(ended)
  })

  it('end with the connection, whether it is closed, or hung up for what it says', async () => {
    for (const leave of [(far: FarEnd) => far.socket.destroy(), (far: FarEnd) => far.say('nonsense')]) {
      const far = new FarEnd(subscribe(1), subscribe(2))
      await eventually(() => far.events().length === 2)
      leave(far)
      await eventually(ended)
      far.socket.destroy()
    }
  })

  it('go on for a far end that has sent all it has to send, and notice when it is gone', async () => {
    const far = new FarEnd(subscribe(1))
    await eventually(() => far.events().length === 1)
    far.socket.end()
    await sleep(50)
    plant(3)
    await eventually(() => far.events().length === 2)
    far.socket.destroy()
    await eventually(ended)
  })

  it('reach a person who asks with socat from a pipe', async () => {
    const output = new Promise<string>((resolve, reject) =>
      execFile('sh', ['-c', `echo '${subscribe(1)}' | socat -t 1 - UNIX-CONNECT:${path}`], (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      ),
    )
    await eventually(() => places.taken === 1)
    await sleep(50)
    plant(3)
    assert.deepEqual(
      (await output)
        .trim()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as Message).params?.item.events.map(({ subject }) => subject)),
      ['lost', 'link'],
    )
    await eventually(ended)
  })

  it('cost a reader who does not read what he missed, and tell him so; and nothing else waits for him', async () => {
    const [slow, quick] = [new FarEnd(), new FarEnd(subscribe(1))]
    slow.say(subscribe(1))
    await eventually(() => places.taken === 2)
    slow.socket.pause()
    let planted = 0
    const rush = async (): Promise<void> => {
      for (let i = 0; i < 2000; i += 1) plant(++planted)
      await eventually(() => quick.events().at(-1)?.index === planted)
    }
    while (planted < 30_000) await rush()
    assert.equal(quick.events().length, planted + 1)
    slow.socket.resume()
    await eventually(() => slow.events().at(-1)?.index === planted)
    const events = slow.events()
    assert.ok(events.length < planted, 'nothing was dropped')
    const lost = events.findLastIndex(({ subject }) => subject === 'lost')
    assert.ok(lost > 0, 'it was not told')
    // What follows the last "lost" is whole.
    const after = events.slice(lost + 1).map(({ index }) => index)
    assert.deepEqual(
      after,
      Array.from({ length: after.length }, (_, i) => planted - after.length + 1 + i),
    )
    for (const far of [slow, quick]) far.socket.destroy()
    await eventually(ended)
  })

  it('end with a far end that goes without having read', async () => {
    const far = new FarEnd(subscribe(1))
    await eventually(() => far.events().length === 1)
    far.socket.pause()
    for (let i = 0; i < 100; i += 1) {
      for (let n = 0; n < 256; n += 1) plant(n + 1)
      await sleep(6)
    }
    far.socket.destroy()
    await eventually(ended)
  })

  it('are refused as busy where the connection or the helper has too many, and the others go on', async () => {
    const far = new FarEnd(...Array.from({ length: 33 }, (_, i) => subscribe(i)))
    await eventually(() => far.answer(32) !== undefined)
    assert.deepEqual([far.answer(32)?.error?.code, places.taken, far.isClosed], [REFUSALS.busy, 32, false])
    const other = new FarEnd(...Array.from({ length: 9 }, (_, i) => subscribe(i)))
    await eventually(() => other.answer(8) !== undefined)
    assert.deepEqual([other.answer(8)?.error?.code, places.taken], [REFUSALS.busy, 40])
    far.socket.destroy()
    await eventually(() => places.taken === 8)
    other.say(subscribe(50))
    await eventually(() => other.events(50).length === 1)
    other.socket.destroy()
    await eventually(ended)
  })

  it('say it where the kernel does not let itself be listened to, and take no place', async () => {
    kernel.events.watch = () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    }
    const far = new FarEnd(subscribe(1))
    await eventually(() => far.answer(1) !== undefined)
    assert.ok(far.answer(1)?.error)
    assert.ok(ended())
    far.socket.destroy()
  })
})
