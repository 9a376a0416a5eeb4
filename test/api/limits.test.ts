// What one caller can cost the others: sizes, times, and what is no proper request (decisions.md, W9, W10;
// reference.md, Addressing 2).
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { strict, Type } from '@panel/shared/schema.ts'
import { command, stream } from './support/declare.ts'
import { ok, type Incoming } from '@panel/web-daemon/platform/http/endpoint.ts'
import { STRANGER_LIMIT_BYTES } from '@panel/web-daemon/platform/http/body.ts'
import { LIMITS, type Limits } from '@panel/web-daemon/platform/http/server.ts'
import { serializeEvent } from '@panel/web-daemon/platform/http/stream.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { exchange, Wire } from './support/wire.ts'

const MIB = 1024 * 1024
const PREFIX = '/hidden'
const Text = strict({ text: Type.Optional(Type.String()) })

/** Everything else as shipped. */
const SHORT: Limits = {
  ...LIMITS,
  headers_ms: 1000,
  request_ms: 1500,
  idle_ms: 500,
  check_ms: 50,
  connections_per_address: 2000,
}

let taken: string[] = []
const take = async (_context: unknown, { body }: Incoming) => {
  const { text = '' } = body as { text?: string }
  taken.push(text)
  return ok({ length: text.length })
}

const endpoints = [
  command('POST /texts', { tag: 'other', summary: 'Take', body: Text, audit: 'BackupImport' }, take),
  command(
    'POST /large-texts',
    { tag: 'other', summary: 'Take much', body: Text, body_limit_bytes: 8 * MIB, audit: 'BackupImport' },
    take,
  ),
  command('POST /slow', { tag: 'other', summary: 'Take long', audit: 'BackupImport' }, async () => {
    await sleep(300)
    return ok({})
  }),
  stream('GET /ticks', { tag: 'other', summary: 'Go on' }, async () => (subscriber) => {
    const timer = setInterval(() => subscriber.send(serializeEvent('tick', 1)), 20)
    return () => clearInterval(timer)
  }),
]

/** The headers that sign a request in. */
const signed = (operator: Client): string =>
  `Host: panel\r\nCookie: ${[...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}\r\nX-CSRF-Token: ${operator.cookies.get('panel_csrf') ?? ''}\r\nContent-Type: application/json\r\n`

describe('The limits of the HTTP server', () => {
  let panel: TestPanel
  let operator: Client
  const API = `${PREFIX}/api/v1`
  const isAlive = async (): Promise<void> => assert.equal((await panel.visitor().get('/system/health')).status, 200)

  const within = (limits: Limits): void => {
    before(async () => {
      panel = await startPanel({ web_path: PREFIX.slice(1), listening: { limits }, extra_endpoints: endpoints })
      operator = await panel.setUp()
    })
    after(() => panel.close())
    afterEach(isAlive)
  }

  describe('on the size of a body', () => {
    within(LIMITS)
    const ofBytes = (bytes: number): string => `{"text":"${'x'.repeat(bytes - 11)}"}`

    for (const isChunked of [false, true]) {
      const how = isChunked ? 'without a length' : 'with its length'
      it(`let 1 MiB in and no byte more, ${how}`, async () => {
        assert.equal((await operator.post('/texts', undefined, { raw: ofBytes(MIB), isChunked })).status, 200)
        const { status, error } = await operator.post('/texts', undefined, { raw: ofBytes(MIB + 1), isChunked })
        assert.deepEqual(
          [status, error.code, error.field, error.details],
          [413, 'PAYLOAD_TOO_LARGE', '', { limit_bytes: MIB }],
        )
      })

      it(`let 8 MiB in where an endpoint takes as much, as the import of a backup does, and no byte more, ${how}`, async () => {
        assert.equal((await operator.post('/large-texts', undefined, { raw: ofBytes(8 * MIB), isChunked })).status, 200)
        const { status, error } = await operator.post('/large-texts', undefined, {
          raw: ofBytes(8 * MIB + 1),
          isChunked,
        })
        assert.deepEqual([status, error.code], [413, 'PAYLOAD_TOO_LARGE'])
      })
    }

    it('give clients without a session 64 KiB', async () => {
      const raw = JSON.stringify({ username: 'a', password: 'x'.repeat(STRANGER_LIMIT_BYTES) })
      assert.equal((await panel.visitor().post('/auth/login', undefined, { raw })).error.code, 'PAYLOAD_TOO_LARGE')
    })

    it('refuse a body at its announcement, before a byte of it', async () => {
      const { statuses } = await exchange(
        panel.base,
        `POST ${API}/texts HTTP/1.1\r\n${signed(operator)}Content-Length: 99999999999\r\n\r\n`,
      )
      assert.deepEqual(statuses, [413])
    })

    it('take of a body that is longer than announced no more than was announced, and end the connection at the rest', async () => {
      taken = []
      const wire = (await Wire.to(panel.base)).send(
        `POST ${API}/texts HTTP/1.1\r\n${signed(operator)}Content-Length: 12\r\n\r\n{"text":"a"}${'x'.repeat(2 * MIB)}`,
      )
      await wire.closed
      assert.equal(wire.statuses.at(-1), 400)
      assert.deepEqual(taken, ['a'])
    })

    it('call for a body that waits to be called for only where it is wanted', async () => {
      const asking = (path: string, length: number): string =>
        `POST ${path} HTTP/1.1\r\n${signed(operator)}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
      const wanted = (await Wire.to(panel.base)).send(asking(`${API}/texts`, 12))
      await wanted.answers(1)
      await wanted.send('{"text":"a"}').answers(2)
      assert.deepEqual(wanted.statuses, [100, 200])
      wanted.end()
      assert.deepEqual((await exchange(panel.base, asking(`${API}/texts`, 2 * MIB))).statuses, [413])
      assert.deepEqual((await exchange(panel.base, asking(`${API}/nothing`, 12))).statuses, [404])
      assert.match(
        (await exchange(panel.base, asking('/', 12))).output,
        /^HTTP\/1\.1 404 Not Found\r\nContent-Length: 0\r\n/,
      )
    })

    it('hold other expectations for none of their business', async () => {
      const { statuses } = await exchange(
        panel.base,
        `GET ${API}/system/health HTTP/1.1\r\nHost: panel\r\nExpect: a-pony\r\n\r\n`,
      )
      assert.deepEqual(statuses, [200])
      assert.match(
        (await exchange(panel.base, 'GET / HTTP/1.1\r\nHost: panel\r\nExpect: a-pony\r\n\r\n')).output,
        /^HTTP\/1\.1 404 /,
      )
    })
  })

  describe('on time', () => {
    within(SHORT)

    it('are as decided where nobody says otherwise', () => {
      assert.deepEqual(LIMITS, {
        headers_ms: 10_000,
        request_ms: 60_000,
        idle_ms: 120_000,
        check_ms: 1000,
        connections: 4096,
        connections_per_address: 512,
        connections_per_proxy: 3072,
      })
    })

    it('end connections that send their headers too slowly, a thousand at once too, while others are answered', async () => {
      const wires = await Promise.all(Array.from({ length: 1000 }, () => Wire.to(panel.base)))
      for (const wire of wires) wire.send(`GET ${API}/system/health HTTP/1.1\r\nHost: panel\r\n`)
      const dribbling = setInterval(() => wires.forEach((wire) => wire.isClosed || wire.send('X: y\r\n')), 100)
      for (let requests = 0; requests < 5; requests++) await isAlive()
      await Promise.all(wires.map((wire) => wire.until(() => wire.isClosed, 'the end')))
      clearInterval(dribbling)
      // What is dribbled into a connection that has just been closed can cost the caller the word that came before.
      for (const { output } of wires)
        assert.ok(['', 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'].includes(output), output)
    })

    it('end connections that say nothing', async () => {
      const wire = await Wire.to(panel.base)
      await wire.until(() => wire.isClosed, 'the end')
      assert.deepEqual(wire.statuses, [408])
    })

    it('end a request whose body does not come', async () => {
      const wire = (await Wire.to(panel.base)).send(
        `POST ${API}/texts HTTP/1.1\r\n${signed(operator)}Content-Length: 12\r\n\r\n{"te`,
      )
      await wire.until(() => wire.isClosed, 'the end')
      assert.deepEqual(wire.statuses, [408])
    })

    it('end an upload that goes on after it was refused', async () => {
      const wire = (await Wire.to(panel.base)).send(
        `POST ${API}/nothing HTTP/1.1\r\n${signed(operator)}Transfer-Encoding: chunked\r\n\r\n`,
      )
      const sending = setInterval(() => wire.isClosed || wire.send('1\r\nx\r\n'), 50)
      await wire.until(() => wire.isClosed, 'the end')
      clearInterval(sending)
      assert.equal(wire.statuses[0], 404)
    })

    it('end a connection that is kept alive for nothing', async () => {
      const wire = (await Wire.to(panel.base)).send(`GET ${API}/system/health HTTP/1.1\r\nHost: panel\r\n\r\n`)
      await wire.answers(1)
      await wire.until(() => wire.isClosed, 'the end')
      assert.deepEqual(wire.statuses, [200])
    })

    it('leave a stream alone', async () => {
      const wire = (await Wire.to(panel.base)).send(`GET ${API}/ticks HTTP/1.1\r\n${signed(operator)}\r\n`)
      await wire.until(() => wire.output.split('event: tick').length > 100, 'a tick after all of the limits')
      wire.end()
    })
  })

  describe('on how many connections there are', () => {
    within({ ...LIMITS, connections: 20 })

    it('turn away those above, and take new ones as soon as others are gone', async () => {
      const wires = await Promise.all(Array.from({ length: 30 }, () => Wire.to(panel.base)))
      await wires[29]!.until(() => wires.filter((wire) => wire.isClosed).length === 10, 'the end of ten')
      for (const wire of wires) wire.end()
      await Promise.all(wires.map((wire) => wire.closed))
    })
  })
})

describe('A request that is none', () => {
  let panel: TestPanel
  let operator: Client
  before(async () => {
    panel = await startPanel({ extra_endpoints: endpoints })
    operator = await panel.setUp()
  })
  after(() => panel.close())

  const post = (headers: string, body: string): string =>
    `POST /api/v1/texts HTTP/1.1\r\n${signed(operator)}${headers}\r\n${body}`
  const smuggled = 'GET /api/v1/auth/me HTTP/1.1\r\nHost: panel\r\n\r\n'

  const bad: Record<string, () => string> = {
    'with a length and chunks': () =>
      post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${smuggled}`),
    'with chunks and a length': () =>
      post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `0\r\n\r\n${smuggled}`),
    'with two lengths': () => post('Content-Length: 2\r\nContent-Length: 50\r\n', `{}${smuggled}`),
    'with two lengths in one line': () => post('Content-Length: 2, 50\r\n', `{}${smuggled}`),
    'with a length that is no number': () => post('Content-Length: +2\r\n', '{}'),
    'with a negative length': () => post('Content-Length: -1\r\n', '{}'),
    'with a transfer coding that ends in another than chunks': () =>
      post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${smuggled}`),
    'with a transfer coding of an odd name': () => post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${smuggled}`),
    'with a space before the colon': () => post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${smuggled}`),
    'with a folded header': () => post('X: a\r\n Transfer-Encoding: chunked\r\n', '{}'),
    'with a bare line feed in its headers': () => post('X: a\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${smuggled}`),
    'with a chunk whose size is no number': () =>
      post('Transfer-Encoding: chunked\r\n', `0x2\r\n{}\r\n0\r\n\r\n${smuggled}`),
    'with a NUL in a header': () => post('X: a\0b\r\n', '{}'),
    'of a method that nobody knows': () => 'BREW /api/v1/system/health HTTP/1.1\r\nHost: panel\r\n\r\n',
    'of another protocol': () => 'GET / SPDY/3\r\n\r\n',
    'of HTTP/2 without a word before': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'of TLS on a port that has none': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  }
  for (const [what, text] of Object.entries(bad)) {
    it(`${what} is answered by a bare 400 and reaches no endpoint, nor does what hides behind it`, async () => {
      taken = []
      const { output } = await exchange(panel.base, text(), 2)
      assert.equal(output, 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
      assert.deepEqual(taken, [])
    })
  }

  it('without a Host is answered by an empty 400', async () => {
    const { output } = await exchange(panel.base, 'GET /api/v1/system/health HTTP/1.1\r\n\r\n')
    assert.match(
      output,
      /^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\nDate: [^\r]*\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n$/,
    )
  })

  it('for more than 16 KiB of headers is answered by a bare 431, many or one', async () => {
    for (const headers of [`X: ${'x'.repeat(20_000)}\r\n`, 'X-Some: what\r\n'.repeat(2000)]) {
      const { output } = await exchange(
        panel.base,
        `GET /api/v1/system/health HTTP/1.1\r\nHost: panel\r\n${headers}\r\n`,
      )
      assert.equal(output, 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n')
    }
  })

  it('but several in one go, is answered in order', async () => {
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${signed(operator)}\r\n`
    const { output, statuses } = await exchange(
      panel.base,
      [get('/api/v1/auth/me'), post('Content-Length: 12\r\n', '{"text":"a"}'), get('/api/v1/nothing')].join(''),
      3,
    )
    assert.deepEqual(statuses, [200, 200, 404], output)
  })

  it('but one of a method that the API has no use for, is 405 with those that it has, or no connection at all', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'SEARCH', 'PURGE']) {
      const { output, statuses } = await exchange(
        panel.base,
        `${method} /api/v1/auth/me HTTP/1.1\r\nHost: panel\r\n\r\n`,
      )
      assert.deepEqual(statuses, [405], method)
      assert.match(output, /\r\nAllow: GET, HEAD, PUT\r\n/)
    }
    const wire = (await Wire.to(panel.base)).send('CONNECT panel:443 HTTP/1.1\r\nHost: panel\r\n\r\n')
    await wire.until(() => wire.isClosed, 'the end')
    assert.equal(wire.output, '')
  })

  it('but one that would upgrade to another protocol, is answered as if it did not ask to', async () => {
    const { statuses } = await exchange(
      panel.base,
      'GET /api/v1/system/health HTTP/1.1\r\nHost: panel\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    )
    assert.deepEqual(statuses, [200])
  })
})
