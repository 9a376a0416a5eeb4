// How long a tunnel was up is the same in whatever pieces it is read (decisions.md, M4).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { toPoint } from '@panel/web-daemon/features/monitor/bucket.ts'
import { makeMonitorPlan } from '@panel/web-daemon/features/monitor/probe-target.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { WatchedTunnel } from '@panel/web-daemon/features/monitor/watched-tunnel.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { storedTunnel } from '../../support/records.ts'
import { settingsWith } from '../../support/settings.ts'
import { findPoints } from '../../support/intervals.ts'

const BEGIN = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
type Store = Awaited<ReturnType<typeof openStore>>

interface Times {
  readonly up: number
  readonly degraded: number
  readonly down: number
}
const NOTHING: Times = { up: 0, degraded: 0, down: 0 }
const plus = (a: Times, b: Times): Times => ({
  up: a.up + b.up,
  degraded: a.degraded + b.degraded,
  down: a.down + b.down,
})

const addTunnel = (db: Store): Promise<number> => {
  const { tunnel_id: _, ...record } = { ...storedTunnel(), address_pool_id: null, addresses: [] }
  return insertTunnel(db, record)
}

/** The times that the API answers, in milliseconds. */
const timesIn = async (db: Store, from: number, to: number, resolution_seconds: number): Promise<Times> => {
  const span = { from: from / 1000, to: to / 1000, resolution_seconds }
  const { points } = await findPoints(db, 1, span, 100_000)
  return points
    .map((point) => toPoint(point, point.samples))
    .map(({ up_seconds, degraded_seconds, down_seconds }) => ({
      up: Math.round(up_seconds * 1000),
      degraded: Math.round(degraded_seconds * 1000),
      down: Math.round(down_seconds * 1000),
    }))
    .reduce(plus, NOTHING)
}

/** What happens to a tunnel, and when after what happened before. */
const WHAT = [
  'answered',
  'answered',
  'answered',
  'lost',
  'link down',
  'link up',
  'disabled',
  'enabled',
  'stored',
] as const
const step = fc.record({ ms: fc.integer({ min: 1, max: 60_000 }), what: fc.constantFrom(...WHAT) })
const pause = fc.record({
  ms: fc.integer({ min: 200_000, max: HOUR }),
  what: fc.constantFrom('daemon away', 'host asleep' as const),
})
const steps = fc.array(fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: pause }), {
  minLength: 20,
  maxLength: 80,
})

const addresses = [
  {
    tunnel_address_id: 1,
    address: '172.17.1.1',
    peer_address: '',
    prefix_length: 30,
    address_family_id: 10,
    is_primary: true,
    sort_order: 0,
  },
]
const plans = [true, false].map((is_enabled) =>
  makeMonitorPlan(
    { ...storedTunnel(), tunnel_id: 1, is_enabled, addresses },
    settingsWith({ 'monitor.tcp_knock_enabled': false }),
  ),
)

/** A tunnel whose states are written down as they go by. */
class Driven {
  at = BEGIN
  expected = NOTHING
  #sequence = 0
  #watched = this.#begin()
  readonly db: Store
  constructor(db: Store) {
    this.db = db
  }

  #begin(): WatchedTunnel {
    return new WatchedTunnel(plans[0]!, null, this.at)
  }

  async take({ ms, what }: { ms: number; what: (typeof WHAT)[number] | 'daemon away' | 'host asleep' }): Promise<void> {
    if (what === 'daemon away') {
      await this.store()
      this.at += ms
      this.#watched = this.#begin()
      return
    }
    const field = { Up: 'up', Degraded: 'degraded', Down: 'down' }[this.#watched.verdict.state as string]
    if (field && what !== 'host asleep') this.expected = plus(this.expected, { ...NOTHING, [field]: ms })
    this.at += ms
    if (what === 'answered' || what === 'lost')
      for (let n = 0; n < 8; n++) this.#probe(what === 'answered' ? 5000 : null)
    if (what === 'link down' || what === 'link up') this.#watched.setLink(what === 'link up' ? 'up' : 'down', this.at)
    if (what === 'disabled' || what === 'enabled') this.#watched.replan(plans[what === 'enabled' ? 0 : 1]!, this.at)
    if (what === 'stored' || what === 'host asleep') await this.store()
    else this.#watched.note(this.at)
  }

  #probe(rtt_us: number | null): void {
    const outcome = rtt_us === null ? 'timeout' : 'reply'
    const sequence = ++this.#sequence
    this.#watched.take(
      { target_id: 1, sequence, outcome, sent_at_ms: this.at, rtt_us, detail: '', pending: 0 },
      this.at,
    )
  }

  async store(): Promise<void> {
    this.#watched.note(this.at)
    await addBuckets(this.db, this.#watched.takeBuckets(Number.POSITIVE_INFINITY))
  }
}

describe('The time that a tunnel was up', () => {
  let db: Store
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    await addTunnel(db)
  })
  afterEach(() => db.destroy())

  it('is what went by in that state, and the sum of its parts, at whatever resolution; where nobody looked it is none', async () => {
    let seen = NOTHING
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 60, max: 90_000 }), fc.nat(100), async (all, resolution, share) => {
        await db.deleteFrom('monitor_bucket').execute()
        const driven = new Driven(db)
        for (const one of all) await driven.take(one)
        await driven.store()
        const end = driven.at + 60_000 - (driven.at % 60_000)
        const middle = BEGIN + Math.floor(((end - BEGIN) * share) / 100 / 60_000) * 60_000
        assert.deepEqual(await timesIn(db, BEGIN, end, resolution), driven.expected)
        const parts = [await timesIn(db, BEGIN, middle, 60), await timesIn(db, middle, end, resolution)]
        assert.deepEqual(parts.reduce(plus), driven.expected)
        seen = plus(seen, driven.expected)
      }),
      { numRuns: 60 },
    )
    assert.ok(Math.min(seen.up, seen.degraded, seen.down) > 0, `each state comes about: ${JSON.stringify(seen)}`)
  })
})
