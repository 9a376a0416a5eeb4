// The stored traffic of a rule, interval by interval, with the parameters of a tunnel's history (reference.md, GET
// /routes/{id}/traffic/history; decisions.md, F19, M4).
import assert from 'node:assert/strict'
import type { RouteTrafficAnswer, TrafficHistoryAnswer } from '@panel/shared/api/routes/traffic.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { madeRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

describe('The history of the traffic of a rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())
  const relay = (id: number, tx_bytes: number, rx_bytes = 0): void =>
    panel.kernel.rulesets.relay(id, { tx_bytes, tx_packets: 1, rx_bytes, rx_packets: rx_bytes > 0 ? 1 : 0 })
  const traffic = async (id = 1): Promise<RouteTrafficAnswer> =>
    (await client.get<RouteTrafficAnswer>(`/routes/${id}/traffic`)).body
  const history = async (query = '', id = 1): Promise<TrafficHistoryAnswer> =>
    (await client.get<TrafficHistoryAnswer>(`/routes/${id}/traffic/history${query}`)).body

  it('holds what moved in each interval and no running total, saved or not', async () => {
    await madeRoute(client)
    relay(1, 100)
    await panel.traffic.sample()
    await panel.traffic.save()
    relay(1, 11)
    await panel.traffic.sample()
    panel.clock.advance(120)
    relay(1, 5, 3)
    await panel.traffic.sample()
    const { samples, total, interval_seconds } = await history()
    assert.deepEqual(
      [samples.map(({ tx_bytes, rx_bytes }) => [tx_bytes, rx_bytes]), total, interval_seconds],
      [
        [
          [111, 0],
          [5, 3],
        ],
        2,
        60,
      ],
    )
    const [first, second] = samples.map(({ bucket_start_date }) => Date.parse(bucket_start_date))
    assert.deepEqual([(first ?? 1) % 60_000, (second ?? 0) - (first ?? 0)], [0, 120_000])
    await panel.traffic.save()
    assert.deepEqual((await history()).samples, samples)
    assert.deepEqual((await history('?limit=1')).samples, samples.slice(1))
    assert.deepEqual((await history(`?from=${samples[1]?.bucket_start_date ?? ''}`)).samples, samples.slice(1))
    assert.deepEqual((await history(`?to=${samples[1]?.bucket_start_date ?? ''}`)).samples, samples.slice(0, 1))
    assert.equal((await client.get('/routes/1/traffic/history?from=yesterday')).error.field, 'from')
  })

  it('is joined to intervals of the requested length, saved or not, and never finer than it is stored', async () => {
    await madeRoute(client)
    for (let minute = 0; minute < 180; minute++) {
      panel.clock.advance(60)
      relay(1, minute + 1, 2)
      await panel.traffic.sample()
      if (minute === 99) await panel.traffic.save()
    }
    client = await panel.signIn()
    const fine = (await history()).samples
    assert.equal(fine.length, 180)
    for (const resolution_seconds of [300, 3600, 7200]) {
      const { samples, interval_seconds, total, note } = await history(`?resolution_seconds=${resolution_seconds}`)
      const starts = fine.map(
        ({ bucket_start_date }) =>
          Math.floor(Date.parse(bucket_start_date) / 1000 / resolution_seconds) * resolution_seconds,
      )
      const sums = [...new Set(starts)].map((start) => [
        start * 1000,
        ...(['tx_bytes', 'rx_bytes', 'tx_packets'] as const).map((of) =>
          fine.reduce((sum, one, at) => sum + (starts[at] === start ? one[of] : 0), 0),
        ),
      ])
      assert.deepEqual(
        samples.map((one) => [Date.parse(one.bucket_start_date), one.tx_bytes, one.rx_bytes, one.tx_packets]),
        sums,
      )
      assert.deepEqual(
        [interval_seconds, total, note.includes(`${resolution_seconds} seconds`)],
        [resolution_seconds, sums.length, true],
      )
      await panel.traffic.save()
      assert.deepEqual((await history(`?resolution_seconds=${resolution_seconds}`)).samples, samples)
      assert.deepEqual((await history(`?resolution_seconds=${resolution_seconds}&limit=1`)).samples, samples.slice(-1))
    }
    assert.deepEqual((await history('?resolution_seconds=7')).samples, fine)
    for (const wrong of ['0', '-1', 'x', '99999999'])
      assert.equal(
        (await client.get(`/routes/1/traffic/history?resolution_seconds=${wrong}`)).error.field,
        'resolution_seconds',
        wrong,
      )
  })

  it('counts all points in total, of which limit tells the newest, saved or not', async () => {
    await madeRoute(client)
    for (let minute = 0; minute < 5; minute++) {
      panel.clock.advance(60)
      relay(1, minute + 1)
      await panel.traffic.sample()
      if (minute === 2) await panel.traffic.save()
    }
    for (const [limit, shown] of [
      ['0', []],
      ['2', [4, 5]],
      ['9', [1, 2, 3, 4, 5]],
    ] as const) {
      const { samples, total } = await history(`?limit=${limit}`)
      assert.deepEqual([samples.map(({ tx_bytes }) => tx_bytes), total], [shown, 5], limit)
    }
    assert.equal((await history('?limit=1&resolution_seconds=86400')).samples.at(-1)?.tx_bytes, 15)
  })

  it('refuses what the history of a tunnel refuses, in the same words', async () => {
    await madeRoute(client)
    await createTunnel(client)
    for (const [query, field] of [
      ['from=nope', 'from'],
      ['to=2026-13-45T', 'to'],
      ['resolution_seconds=x', 'resolution_seconds'],
      ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
      ['from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', 'to'],
    ] as const) {
      const [rule, tunnel] = await Promise.all(
        ['/routes/1/traffic/history', '/tunnels/1/history'].map((path) => client.get(`${path}?${query}`)),
      )
      assert.deepEqual([rule?.status, rule?.error.field, rule?.error], [422, field, tunnel?.error], query)
    }
  })

  it('is kept for thirty days', async () => {
    await madeRoute(client)
    relay(1, 1)
    await panel.traffic.sample()
    await panel.traffic.save()
    panel.clock.advance(31 * 86_400)
    await panel.traffic.save()
    client = await panel.signIn()
    assert.deepEqual((await history('?hours=8760')).samples, [])
    assert.equal((await traffic()).traffic.tx_bytes_since_creation, 1)
  })
})
