// The relay rules in the readings of the host (decisions.md, M3).
import assert from 'node:assert/strict'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { makeRoutesReader, ROUTES_KEPT } from '@panel/web-daemon/features/metrics/routes-snapshot.ts'
import { insertRoute } from '@panel/web-daemon/features/routes/store-write.ts'
import { Traffic } from '@panel/web-daemon/features/traffic/traffic.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { namedRoute } from '../../support/records.ts'
import { settingsWith } from '../../support/settings.ts'

describe('The relay rules in a reading', () => {
  let db: Awaited<ReturnType<typeof openStore>>
  let counted: ReadonlyMap<number, number>
  let elapsed: number
  let traffic: Traffic
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    ;[counted, elapsed] = [new Map(), 0]
    traffic = new Traffic({
      db,
      request: request as never,
      now: () => new Date(elapsed),
      monotonic: () => elapsed,
      settings: settingsWith(),
      logger: makeLogger({ write: () => undefined }),
      publish: () => undefined,
    })
  })
  afterEach(() => db.destroy())

  const request = (async (method: string) => {
    if (method === 'ruleset.flows')
      return { is_readable: true, detail: '', epoch: '1', flows: [{ ...NO_FLOWS, route_rule_id: 2, connections: 7 }] }
    const counters = [...counted].map(([route_rule_id, rx_bytes]) => ({
      ...NOTHING,
      route_rule_id,
      rx_bytes,
      rx_packets: rx_bytes,
    }))
    return { is_readable: true, detail: '', epoch: '1.1', counters, fast: null, next_id: null }
  }) as unknown as Reader
  const NOTHING = { tx_bytes: 0, tx_packets: 0 }
  const NO_FLOWS = { begun: 0, answered: 0, waiting: 0, half_open: 0 }

  const store = async (count: number): Promise<void> => {
    for (let id = 1; id <= count; id += 1)
      await insertRoute(db, namedRoute({ route_rule_id: id, route_rule_title: `Rule ${id}`, bind_port: 1000 + id }))
    counted = new Map(Array.from({ length: count }, (_, at) => [at + 1, 0]))
  }
  /** A second in which each rule relays as many bytes as its id says. */
  const second = async (ids: readonly number[]): Promise<void> => {
    elapsed += 1000
    counted = new Map([...counted, ...ids.map((id) => [id, (counted.get(id) ?? 0) + id] as const)])
    await traffic.sample()
  }

  it('are all kept where they are few, with traffic or without', async () => {
    await store(3)
    for (const ids of [[], [3], [3]]) await second(ids)
    const { route_totals, kept } = await makeRoutesReader(db, traffic).brief()
    assert.deepEqual(
      kept.map(({ route_rule_id, rx_bytes_per_second }) => [route_rule_id, rx_bytes_per_second]),
      [
        [1, 0],
        [2, 0],
        [3, 3],
      ],
    )
    assert.deepEqual([route_totals.routes, route_totals.rx_bytes_per_second], [3, 3])
  })

  it('are all counted where they are many, and the busiest of them kept', async () => {
    const ids = Array.from({ length: ROUTES_KEPT + 6 }, (_, at) => at + 1)
    await store(ids.length)
    for (const busy of [[], ids, ids]) await second(busy)
    await traffic.count()
    const reader = makeRoutesReader(db, traffic)
    const { route_totals, kept } = await reader.brief()
    assert.deepEqual(new Set(kept.map(({ route_rule_id }) => route_rule_id)), new Set(ids.slice(6)))
    const { routes, rx_bytes_per_second, active_connections } = route_totals
    const sum = ids.reduce((all, id) => all + id, 0)
    assert.deepEqual([routes, rx_bytes_per_second, active_connections], [ids.length, sum, 7])
    assert.equal((await reader.all()).length, ids.length)
  })

  it('are not made to views where nothing goes through them and nobody asks', async () => {
    await store(ROUTES_KEPT + 1)
    for (const ids of [[], [5], [5]]) await second(ids)
    const { route_totals, kept } = await makeRoutesReader(db, traffic).brief()
    assert.deepEqual(kept, [{ route_rule_id: 5, rx_bytes_per_second: 5, tx_bytes_per_second: 0 }])
    assert.deepEqual([route_totals.routes, route_totals.rx_bytes_per_second], [ROUTES_KEPT + 1, 5])
  })

  it('are none that were deleted, whatever they still carry', async () => {
    await store(ROUTES_KEPT + 2)
    for (const ids of [[], [5, 6], [5, 6]]) await second(ids)
    await db.updateTable('route_rule').set({ deleted_date: 'now' }).where('route_rule_id', '=', 5).execute()
    const { route_totals } = await makeRoutesReader(db, traffic).brief()
    assert.deepEqual([route_totals.routes, route_totals.rx_bytes_per_second], [ROUTES_KEPT + 1, 6])
  })
})
