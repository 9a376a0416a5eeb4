// Streams of server-sent events, without a feature in the way (reference.md, Events; decisions.md, E3 to E6, A16).
import assert from 'node:assert/strict'
import { integer, strict } from '@panel/shared/schema.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { eventually } from '../support/eventually.ts'
import { stream } from './support/declare.ts'
import { declarations, type Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { serializeEvent, Topic, type Subscriber } from '@panel/web-daemon/platform/http/stream.ts'
import { STREAMS_PER_KIND } from '@panel/web-daemon/platform/http/streams.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel } from './support/panel.ts'
import { openStream, type OpenStream } from './support/streams.ts'

const WATCH = 'GET /weather/stream'
const COUNT = 'POST /weather/count'

/** A source for many subscribers, and one that counts for one subscriber and stops when it goes away. */
const weather = () => {
  let picture: object | null = { sky: 'clear' }
  const topic = new Topic(() => picture && serializeEvent('weather', picture))
  const counting = new Set<Subscriber>()
  const late = { requests: 0, released: 0, gate: Promise.resolve() }
  const endpoints: Endpoint[] = [
    stream(WATCH, { tag: 'other', summary: 'Watch', queue: 16 }, async () => topic.source),
    declarations({ [COUNT]: { body: strict({ to: integer(1, 1000) }) } }).stream(
      COUNT,
      { tag: 'other', summary: 'Count', statuses: [409], audit: 'TunnelReapply' },
      async ({ note }, { body }) => {
        if (body.to === 13) throw new Refusal('CONFLICT', verbatim('Not to thirteen'))
        note.target('weather', body.to)
        return (subscriber) => {
          counting.add(subscriber)
          for (let i = 1; i <= body.to; i++) subscriber.send(serializeEvent('number', i))
          if (body.to < 100) subscriber.end()
          return () => void counting.delete(subscriber)
        }
      },
    ),
    stream('GET /weather/late', { tag: 'other', summary: 'Wait' }, async () => {
      late.requests += 1
      await late.gate
      return () => () => void (late.released += 1)
    }),
    stream('GET /weather/broken', { tag: 'other', summary: 'Break' }, async () => () => {
      throw new Error('a secret of the inside')
    }),
  ]
  const say = (data: object): void => {
    picture = data
    topic.publish(() => serializeEvent('weather', data))
  }
  const forget = (): void => void (picture = null)
  return { endpoints, topic, counting, late, say, forget }
}

describe('a stream', () => {
  let panel: TestPanel
  let operator: Client
  let source: ReturnType<typeof weather>
  let left: OpenStream[]
  beforeEach(async () => {
    source = weather()
    left = []
    panel = await startPanel({ extra_endpoints: source.endpoints })
    operator = await panel.setUp()
  })
  afterEach(async () => {
    for (const open of left) open.leave()
    await panel.close()
  })
  const watch = async (client = operator): Promise<OpenStream> => {
    const open = await openStream(client, '/weather/stream')
    left.push(open)
    return open
  }
  const allReleased = (): Promise<void> =>
    eventually(() => panel.streams.count(WATCH) === 0 && source.topic.size === 0, 'the count back at zero')

  it('answers 200 text/event-stream, kept by nobody, with the time to reconnect, and the current picture first', async () => {
    const open = await watch()
    assert.equal(open.status, 200)
    assert.equal(open.headers['content-type'], 'text/event-stream')
    assert.equal(open.headers['cache-control'], 'no-store')
    assert.equal(open.headers['x-accel-buffering'], 'no')
    assert.equal(open.headers['content-length'], undefined)
    await open.until(1)
    assert.equal(open.text(), 'retry: 3000\n\nevent: weather\ndata: {"sky":"clear"}\n\n')
  })

  it('gives every one of 200 subscribers the current picture and each change after it, and counts them back to zero', async function () {
    const all = await Promise.all(Array.from({ length: 200 }, () => watch()))
    assert.deepEqual([panel.streams.count(WATCH), source.topic.size], [200, 200])
    for (const sky of ['grey', 'rain', 'clear again']) source.say({ sky })
    const seen = await Promise.all(all.map((open) => open.until(4)))
    for (const events of seen)
      assert.deepEqual(
        events.map(({ data }) => (data as { sky: string }).sky),
        ['clear', 'grey', 'rain', 'clear again'],
      )
    for (const open of all) open.leave()
    await allReleased()
  })

  it('gives a late subscriber the present picture and nothing earlier', async () => {
    source.say({ sky: 'grey' })
    source.say({ sky: 'rain' })
    assert.deepEqual(await (await watch()).until(1), [{ name: 'weather', data: { sky: 'rain' } }])
  })

  it('waits for the first picture where there is none yet', async () => {
    source.forget()
    const open = await watch()
    source.say({ sky: 'dawn' })
    assert.deepEqual(await open.until(1), [{ name: 'weather', data: { sky: 'dawn' } }])
  })

  it('never waits for a subscriber that does not read: that one gets the newest and the others everything', async function () {
    const [slow, quick] = [await watch(), await watch()]
    await slow.until(1)
    slow.stopReading()
    const big = 'x'.repeat(256 * 1024)
    for (let number = 1; number <= 200; number++) {
      source.say({ number, big })
      if (number % 10 === 0) await quick.until(number + 1)
    }
    slow.readOn()
    await eventually(() => numbersOf(slow).at(-1) === 200, 'the newest')
    const numbers = numbersOf(slow)
    assert.ok(numbers.length < 150, `${numbers.length} events for one that slept`)
    assert.deepEqual(
      numbers.slice(-16),
      Array.from({ length: 16 }, (_, i) => 185 + i),
    )
    assert.deepEqual(
      numbersOf(quick),
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
  })

  it('is released when the client goes away, whether it reads or not', async () => {
    const [one, other] = [await watch(), await watch()]
    one.stopReading()
    for (let i = 0; i < 100; i++) source.say({ big: 'x'.repeat(256 * 1024) })
    one.leave()
    await eventually(() => source.topic.size === 1, 'one released')
    other.leave()
    await allReleased()
    source.say({ sky: 'nobody looks' })
    assert.equal((await operator.get('/auth/me')).status, 200)
  })

  it('is released too when the client went away before it began', async () => {
    let open = (): void => undefined
    source.late.gate = new Promise((resolve) => (open = resolve))
    const leaving = new AbortController()
    const cookie = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const gone = assert.rejects(
      fetch(`${operator.base}api/v1/weather/late`, { headers: { cookie }, signal: leaving.signal }),
    )
    await eventually(() => source.late.requests === 1, 'asked for')
    leaving.abort()
    await gone
    let connections = 1
    await eventually(() => {
      panel.server.getConnections((_, count) => void (connections = count))
      return connections === 0
    }, 'the connection gone')
    open()
    await eventually(() => source.late.released === 1, 'released')
    assert.equal(panel.streams.count('GET /weather/late'), 0)
  })

  it('has a heartbeat every 20 s, and none before', async () => {
    const open = await watch()
    const heartbeats = (): number => open.text().split(': heartbeat\n\n').length - 1
    panel.clock.advance(15)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    assert.equal(heartbeats(), 0)
    for (const expected of [1, 2]) {
      panel.clock.advance(20)
      await eventually(() => heartbeats() === expected, `heartbeat ${expected}`)
    }
  })

  it('is refused with 429 above 256 of a kind, and has a place again when one is left', async function () {
    const all = await Promise.all(Array.from({ length: STREAMS_PER_KIND }, () => watch()))
    const { status, error, headers } = await operator.get('/weather/stream')
    assert.deepEqual([status, error.code, headers['retry-after']], [429, 'RATE_LIMITED', '3'])
    const other = await openStream(operator, '/weather/count', { method: 'POST', body: { to: 1 } })
    assert.equal(other.status, 200)
    all[0]?.leave()
    await eventually(() => panel.streams.count(WATCH) === STREAMS_PER_KIND - 1, 'a place')
    assert.equal((await watch()).status, 200)
  })

  it('ends when the session is revoked, and that of the session which goes on does not', async () => {
    const stranger = await panel.signIn()
    const ended = await watch(stranger)
    assert.equal(
      (await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: 'a new and longer one' }))
        .status,
      200,
    )
    const kept = await watch()
    await ended.ended
    assert.equal(panel.streams.count(WATCH), 1)
    source.say({ sky: 'rain' })
    await kept.until(2)
    assert.equal(ended.events().length, 1)
  })

  it('ends when the session is revoked though the client does not read', async () => {
    const stuck = await watch()
    stuck.stopReading()
    for (let i = 0; i < 100; i++) source.say({ big: 'x'.repeat(256 * 1024) })
    await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: 'a new and longer one' })
    await allReleased()
  })

  it('ends a minute after the access token, and not with it', async () => {
    const open = await watch()
    panel.clock.advance(60 * 60 + 50)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    assert.equal(panel.streams.count(WATCH), 1)
    panel.clock.advance(10)
    await open.ended
    await allReleased()
  })

  it('needs a session, as any query does', async () => {
    const { status, error } = await panel.visitor().get('/weather/stream')
    assert.deepEqual([status, error.code], [401, 'UNAUTHENTICATED'])
    assert.equal(panel.streams.count(WATCH), 0)
  })

  it('answers HEAD with its headers, and holds nothing', async () => {
    const open = await openStream(operator, '/weather/stream', { method: 'HEAD' })
    assert.deepEqual([open.status, open.headers['content-type']], [200, 'text/event-stream'])
    await open.ended
    await allReleased()
  })

  it('opened by GET is not in the audit log', async () => {
    ;(await watch()).leave()
    await allReleased()
    assert.deepEqual(await actions(), ['Setup'])
  })

  it('opened by POST ends with its source, whole, and is in the audit log once it has', async () => {
    const open = await openStream(operator, '/weather/count', { method: 'POST', body: { to: 3 } })
    await open.ended
    assert.deepEqual(
      open.events(),
      [1, 2, 3].map((data) => ({ name: 'number', data })),
    )
    assert.deepEqual(await actions(), ['TunnelReapply', 'Setup'])
    assert.equal(source.counting.size, 0)
  })

  it('opened by POST tells its source when the client goes away', async () => {
    const open = await openStream(operator, '/weather/count', { method: 'POST', body: { to: 100 } })
    await open.until(1)
    assert.deepEqual([source.counting.size, await actions()], [1, ['Setup']])
    open.leave()
    await eventually(() => source.counting.size === 0 && panel.streams.count(COUNT) === 0, 'released')
    assert.deepEqual(await actions(), ['TunnelReapply', 'Setup'])
  })

  it("opened by POST is refused as any request is: CSRF, wrong fields, the feature's own reasons", async () => {
    assert.equal((await operator.post('/weather/count', { to: 3 }, { csrf: false })).status, 403)
    const wrong = await operator.post('/weather/count', { to: 'three' })
    assert.deepEqual([wrong.status, wrong.error.field], [422, 'to'])
    assert.deepEqual((await operator.post('/weather/count', { to: 13 })).error.message, 'Not to thirteen')
    assert.equal(panel.streams.count(COUNT), 0)
    const { body } = await operator.get<{ entries: { is_success: boolean }[] }>('/audit')
    assert.deepEqual(
      body.entries.map(({ is_success }) => is_success),
      [false, false, false, true],
    )
  })

  it('whose source fails ends, tells nothing of the inside, and leaves the panel standing', async () => {
    const open = await openStream(operator, '/weather/broken')
    await open.ended
    assert.equal(open.text(), 'retry: 3000\n\n')
    assert.equal(panel.streams.count('GET /weather/broken'), 0)
    assert.ok(panel.log.some((line) => line.includes('a secret of the inside')))
    assert.equal((await operator.get('/auth/me')).status, 200)
  })

  it('ends when the panel stops', async () => {
    const open = await watch()
    panel.streams.endAll()
    await open.ended
    await allReleased()
  })

  const actions = async (): Promise<string[]> =>
    (await operator.get<{ entries: { action: string }[] }>('/audit')).body.entries.map(({ action }) => action)
  const numbersOf = (open: OpenStream): number[] =>
    open.events().flatMap(({ data }) => (data as { number?: number }).number ?? [])
})
