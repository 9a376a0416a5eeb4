// What goes through rules: kernel figures and panel totals apart, exact across everything that recreates a counter
// (reference.md, traffic; decisions.md, F18 to F20, F23).
import assert from 'node:assert/strict'
import type {
  RouteCountersAnswer,
  RouteTrafficAnswer,
  TrafficHistoryAnswer,
  TrafficSummaryAnswer,
} from '@panel/shared/api/routes/traffic.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  addSource,
  applyAll,
  deleteRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  reorder,
} from './support/routes.ts'

describe('The traffic of rules', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const relay = (id: number, tx_bytes: number, rx_bytes = 0): void =>
    panel.kernel.rulesets.relay(id, { tx_bytes, tx_packets: 1, rx_bytes, rx_packets: rx_bytes > 0 ? 1 : 0 })
  const traffic = async (id = 1, query = ''): Promise<RouteTrafficAnswer> =>
    (await client.get<RouteTrafficAnswer>(`/routes/${id}/traffic${query}`)).body
  const history = async (query = '', id = 1): Promise<TrafficHistoryAnswer> =>
    (await client.get<TrafficHistoryAnswer>(`/routes/${id}/traffic/history${query}`)).body

  it("is live, with the kernel's counters and the cumulative totals as separate fields, and the direction in the note", async () => {
    await madeRoute(client)
    relay(1, 1000, 50)
    const { traffic: seen, sampled, note, title } = await traffic()
    assert.deepEqual(
      [
        seen.tx_bytes_since_boot,
        seen.rx_bytes_since_boot,
        seen.tx_bytes_since_creation,
        seen.rx_bytes_since_creation,
        seen.tx_packets_since_creation,
        sampled,
        title,
      ],
      [1000, 50, 1000, 50, 1, true, 'tcp 443 → 10.9.0.2:8443'],
    )
    assert.match(note, /tx is towards the destination/)
  })

  it("keeps the totals of the panel while the kernel's figures begin again", async () => {
    await madeRoute(client)
    relay(1, 1000)
    await traffic()
    panel.kernel.rulesets.flush()
    await actOnRoute(client, 1, 'reapply')
    relay(1, 30)
    const { traffic: seen } = await traffic()
    assert.deepEqual([seen.tx_bytes_since_boot, seen.tx_bytes_since_creation, seen.reset_detected], [30, 1030, true])
  })

  it('a table recreated is known even where its counters have passed the old ones', async () => {
    await madeRoute(client)
    relay(1, 100)
    await traffic()
    panel.kernel.rulesets.flush()
    await actOnRoute(client, 1, 'reapply')
    relay(1, 250)
    assert.equal((await traffic()).traffic.tx_bytes_since_creation, 350)
  })

  it('loses nothing when a rule is disabled, changed, reordered or applied again between two samples', async () => {
    for (const bind_port of [1, 2]) await madeRoute(client, { bind_port })
    let sent = 0
    const move = (): void => {
      sent += 7
      relay(1, 7)
    }
    const changes: (() => Promise<unknown>)[] = [
      () => patchRoute(client, 1, { destination_port: 99 }),
      () => reorder(client, [2, 1]),
      () => applyAll(client),
      () => addSource(client, 1, { cidr: '10.0.0.0/8' }),
      () => actOnRoute(client, 1, 'disable').then(() => actOnRoute(client, 1, 'enable')),
      () => actOnRoute(client, 1, 'reapply'),
      () => panel.traffic.sample(),
    ]
    for (let round = 0; round < 3; round += 1) {
      for (const change of changes) {
        move()
        await change()
        move()
      }
    }
    assert.equal((await traffic()).traffic.tx_bytes_since_creation, sent)
    assert.equal((await traffic(2)).traffic.tx_bytes_since_creation, 0)
  })

  it('counts the last bytes of a rule that is deleted', async () => {
    await madeRoute(client)
    relay(1, 500)
    await deleteRoute(client, 1)
    const row = await panel.db
      .selectFrom('route_total')
      .selectAll()
      .where('route_rule_id', '=', 1)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.tx_bytes, row.seen_tx_bytes], [500, 0])
  })

  it('has rates from two samples on', async () => {
    await madeRoute(client)
    await panel.traffic.sample()
    assert.equal((await traffic()).traffic.tx_bytes_per_second, null)
    panel.clock.advance(10)
    relay(1, 5000, 1000)
    await panel.traffic.sample()
    const { traffic: seen, points } = await traffic()
    const [tx, rx] = [seen.tx_bytes_per_second ?? 0, seen.rx_bytes_per_second ?? 0]
    assert(tx > 450 && tx <= 500 && Math.abs(tx / rx - 5) < 0.001, `${tx} ${rx}`)
    assert.deepEqual([points.length, points[0]?.tx_bytes_per_second], [1, tx])
    panel.clock.advance(5)
    await panel.traffic.sample()
    assert.equal((await traffic(1, '?points=1')).points.length, 1)
  })

  it('keeps rates, points and history as the sampler has them, however often it is read', async () => {
    await madeRoute(client)
    for (let second = 0; second < 3; second += 1) {
      await panel.traffic.sample()
      panel.clock.advance(0.5)
      relay(1, 9000)
      const before = await traffic()
      for (const path of ['/traffic', '/counters', '', '/traffic'])
        assert.equal((await client.get(`/routes/1${path}`)).status, 200)
      for (const path of ['', '/traffic/summary']) assert.equal((await client.get(`/routes${path}`)).status, 200)
      assert.equal((await client.post('/routes/1/diagnostics/analyze')).status, 200)
      const { traffic: seen, points } = await traffic()
      assert.deepEqual(
        [seen.tx_bytes_per_second, seen.interval_seconds, points],
        [before.traffic.tx_bytes_per_second, before.traffic.interval_seconds, before.points],
      )
      assert.equal(seen.tx_bytes_since_creation, 9000 * (second + 1))
      panel.clock.advance(9.5)
    }
    await panel.traffic.sample()
    const { traffic: seen, points } = await traffic()
    assert.ok((seen.tx_bytes_per_second ?? 0) > 800 && (seen.tx_bytes_per_second ?? 0) <= 900)
    const times = points.map(({ at }) => Date.parse(at))
    assert.equal(times.length, 3)
    for (const [at, time] of times.slice(1).entries())
      assert.ok(time - (times[at] ?? 0) >= 10_000 && time - (times[at] ?? 0) < 11_500)
    assert.deepEqual(
      [(await history()).samples.reduce((sum, { tx_bytes }) => sum + tx_bytes, 0), seen.tx_bytes_since_creation],
      [27_000, 27_000],
    )
  })

  it('rides in every item of the list', async () => {
    await madeRoute(client)
    relay(1, 12)
    panel.clock.advance(2)
    const [item] = (await listRoutes(client)).body.routes
    assert.deepEqual([item?.tx_bytes_since_boot, item?.tx_bytes_since_creation], [12, 12])
    assert.equal((await getRoute(client, 1)).body.tx_bytes_since_creation, 12)
  })

  it('is one sum across every rule', async () => {
    for (const bind_port of [1, 2]) await madeRoute(client, { bind_port })
    relay(1, 10, 1)
    relay(2, 20, 2)
    const { body } = await client.get<TrafficSummaryAnswer>('/routes/traffic/summary')
    assert.deepEqual(
      [
        body.summary.routes,
        body.summary.tx_bytes_since_creation,
        body.summary.rx_bytes_since_creation,
        body.routes.length,
      ],
      [2, 30, 3, 2],
    )
  })

  it('counters are read from the accounting in the filter hooks, and say whether the rule was ever hit', async () => {
    await madeRoute(client)
    const before = await client.get<RouteCountersAnswer>('/routes/1/counters')
    relay(1, 64)
    const after = await client.get<RouteCountersAnswer>('/routes/1/counters')
    assert.deepEqual(
      [before.body.hit, after.body.hit, after.body.tx_bytes_since_boot, after.body.available],
      [false, true, 64, true],
    )
    assert.match(after.body.source, /filter/)
  })

  it('that cannot be read is marked so', async () => {
    await madeRoute(client)
    panel.kernel.rulesets.unreadable = 'nft: Operation not permitted'
    assert.deepEqual(
      [(await traffic()).sampled, (await client.get<RouteCountersAnswer>('/routes/1/counters')).body.available],
      [false, false],
    )
    assert.match((await traffic()).note, /not permitted/)
  })

  it('of a rule that is not there is 404', async () => {
    for (const path of ['traffic', 'traffic/history', 'counters'])
      assert.equal((await client.get(`/routes/9/${path}`)).status, 404)
  })
})
