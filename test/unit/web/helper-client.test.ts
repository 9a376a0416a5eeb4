// The client of the root helper against a socket that behaves, misbehaves, and is not there.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectHelper, type HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { REFUSALS } from '@panel/shared/rpc/outcome.ts'

interface Request {
  id: number
  method: string
}
type Behaviour = (request: Request, socket: Socket) => void

const NOTHING = {
  helper: null,
  rule_backend: null,
  link_kinds: null,
  tools: null,
  interfaces: null,
  routing_table: null,
  listeners: null,
  state: null,
  ours: null,
  limits: null,
  limits_used: null,
}

describe('the client of the root helper', () => {
  const directory = mkdtempSync(join(tmpdir(), 'panel-helper-'))
  const path = join(directory, 'helper.sock')
  const log: string[] = []
  let server: Server
  let behave: Behaviour
  let client: HelperClient
  const sockets = new Set<Socket>()

  const say = (socket: Socket, value: unknown): boolean => socket.write(`${JSON.stringify(value)}\n`)
  const answer: Behaviour = ({ id }, socket) => void say(socket, { jsonrpc: '2.0', id, result: NOTHING })
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((socket) => {
        sockets.add(socket)
        let text = ''
        socket.on('error', () => undefined)
        socket.on('data', (chunk) => {
          text += String(chunk)
          const lines = text.split('\n')
          text = lines.pop() ?? ''
          for (const line of lines) behave(JSON.parse(line) as Request, socket)
        })
      }).listen(path, resolve)
    })
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy()
      sockets.clear()
      server.close(() => resolve())
    })
  const request = (): Promise<unknown> => client.request('host.probe', { parts: [] })
  const connectWith = (timeouts: { read: number; write: number }): HelperClient =>
    connectHelper(path, makeLogger({ write: (line) => void log.push(line) }), timeouts)
  /** Has what is read time out soon; every other request has the time of a busy machine. */
  const beImpatient = (): void => {
    client.close()
    client = connectWith({ read: 150, write: 60_000 })
  }
  const away = (failure: unknown): boolean => failure instanceof Refusal && failure.code === 'HELPER_UNAVAILABLE'

  beforeEach(async () => {
    behave = answer
    await start()
    client = connectWith({ read: 30_000, write: 60_000 })
  })
  afterEach(async () => {
    client.close()
    await stop()
  })
  after(() => rmSync(directory, { recursive: true }))

  it('asks over one connection, many at a time, and matches the answers by id', async () => {
    const waiting: (() => void)[] = []
    behave = (request, socket) => waiting.push(() => answer(request, socket))
    const answers = Promise.all(Array.from({ length: 50 }, request))
    while (waiting.length < 50) await sleep(5)
    for (const reply of waiting.reverse()) reply()
    assert.deepEqual(new Set((await answers).map((value) => JSON.stringify(value))), new Set([JSON.stringify(NOTHING)]))
    assert.equal(sockets.size, 1)
    assert.equal(client.isConnected(), true)
  })

  it('takes an answer that comes in pieces, a character cut in two', async () => {
    behave = ({ id }, socket) => {
      const bytes = Buffer.from(
        `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: REFUSALS.unsupported, message: 'Nö' } })}\n`,
      )
      const at = bytes.indexOf(0xc3) + 1
      socket.write(bytes.subarray(0, at))
      setTimeout(() => socket.write(bytes.subarray(at)), 10)
    }
    await assert.rejects(
      request(),
      (failure) => failure instanceof Refusal && failure.code === 'SERVICE_UNAVAILABLE' && failure.message === 'Nö',
    )
  })

  const WORDS: Record<string, string> = {
    stale_state: 'CONFLICT',
    unsupported: 'SERVICE_UNAVAILABLE',
    busy: 'SERVICE_UNAVAILABLE',
    kernel_refused: 'SERVICE_UNAVAILABLE',
    state_unusable: 'SERVICE_UNAVAILABLE',
    protected_interface: 'PROTECTED_INTERFACE',
    foreign_unit_file: 'FOREIGN_UNIT_FILE',
    unmodelled_state: 'CONFLICT',
    foreign_sysctl_file: 'PROTECTED_SYSCTL',
    protected_port: 'PROTECTED_PORT',
    protected_address: 'CONFLICT',
    window_open: 'SAFE_APPLY_UNDER_WAY',
    window_ended: 'SERVICE_UNAVAILABLE',
    window_over: 'SAFE_APPLY_OVER',
    irreversible: 'IRREVERSIBLE',
    would_lose_ipv6: 'WOULD_LOSE_IPV6',
    beyond_limits: 'BEYOND_LIMITS',
  }
  it('turns every refusal of root into the code of the API, and a malformed request into a failure of its own', async () => {
    for (const [word, number] of Object.entries(REFUSALS)) {
      behave = ({ id }, socket) =>
        void say(socket, { jsonrpc: '2.0', id, error: { code: number, message: 'no, because' } })
      const failure = await request().catch((thrown: unknown) => thrown)
      if (word === 'malformed') assert.ok(!(failure instanceof Refusal))
      else
        assert.ok(
          failure instanceof Refusal &&
            failure.code === WORDS[word] &&
            failure.details['reason'] === word &&
            failure.message === 'Refused: no, because',
          word,
        )
    }
  })

  it('answers HELPER_UNAVAILABLE where nothing listens, and reconnects when something does', async () => {
    await stop()
    await assert.rejects(request(), away)
    assert.equal(client.isConnected(), false)
    await start()
    assert.deepEqual(await request(), NOTHING)
  })

  it('answers HELPER_UNAVAILABLE at once to all who wait when the connection is lost', async () => {
    behave = (_request, socket) => socket.destroy()
    for (const outcome of await Promise.allSettled([request(), request(), request()])) {
      assert.ok(outcome.status === 'rejected' && away(outcome.reason))
      assert.equal((outcome.reason as Refusal).details['reason'], 'the root helper closed its socket')
    }
    behave = answer
    assert.deepEqual(await request(), NOTHING)
  })

  it('gives up after its time, longer for a write than for a read, and drops the answer that comes too late', async () => {
    beImpatient()
    const late: (() => void)[] = []
    behave = (request, socket) => void late.push(() => answer(request, socket))
    const started = Date.now()
    await assert.rejects(request(), away)
    assert.ok(Date.now() - started >= 140)
    behave = (request, socket) => {
      for (const reply of late) reply()
      answer(request, socket)
    }
    await assert.rejects(
      client.request('tunnel.apply', { before: null, after: null } as never),
      (failure) => away(failure) && /does not understand/.test((failure as Error).message),
    )
  })

  it('does not believe an answer out of shape', async () => {
    for (const result of [{}, { ...NOTHING, more: 1 }, 5, 'x', { ...NOTHING, helper: {} }]) {
      behave = ({ id }, socket) => void say(socket, { jsonrpc: '2.0', id, result })
      await assert.rejects(request(), away)
    }
  })

  const GARBAGE = [
    'null',
    '[]',
    '{}',
    '5',
    '"x"',
    '{',
    '',
    '{"jsonrpc":"2.0"}',
    '[{"jsonrpc":"2.0","id":1,"result":1}]',
    '{"jsonrpc":"1.0","id":1,"result":1}',
    '{"jsonrpc":"2.0","id":1,"method":"x"}',
    '{"jsonrpc":"2.0","id":1,"error":null}',
    '{"jsonrpc":"2.0","id":1,"error":5}',
    '\u00ff\u0000',
  ]
  for (const garbage of GARBAGE) {
    it(`lives through ${JSON.stringify(garbage)} in the place of an answer`, async () => {
      behave = (_request, socket) => void socket.write(`${garbage}\n`)
      await assert.rejects(request())
      behave = answer
      await sleep(5)
      assert.deepEqual(await request(), NOTHING)
    })
  }

  it('lives through a line that never ends', async () => {
    behave = (_request, socket) => {
      const chunk = 'x'.repeat(1024 * 1024)
      for (let at = 0; at < 6; at++) socket.write(chunk)
    }
    await assert.rejects(request(), away)
    behave = answer
    await sleep(20)
    assert.deepEqual(await request(), NOTHING)
  })

  it('holds requests back while the helper does not read, and does not send those whose time is over', async () => {
    const received: number[] = []
    behave = (request, socket) => {
      received.push(request.id)
      answer(request, socket)
    }
    beImpatient()
    await request()
    for (const socket of sockets) socket.pause()
    const names = Array.from({ length: 2000 }, () => 'a'.repeat(15))
    const stuck = await Promise.allSettled(
      Array.from({ length: 60 }, () => client.request('tunnel.probe', { interface_names: names })),
    )
    assert.ok(stuck.every((outcome) => outcome.status === 'rejected' && away(outcome.reason)))
    for (const socket of sockets) socket.resume()
    await sleep(50)
    assert.ok(received.length < 61, `${received.length} of 61 were sent`)
  })
})
