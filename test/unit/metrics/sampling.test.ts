// Sampling over time, on a host and a clock of the test's: rates, sums over restarts, what fails, what is kept.
import assert from 'node:assert/strict'
import { message } from '@panel/shared/messages/message.ts'
import type { MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { settingsWith } from '../../support/settings.ts'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { metricsComponent } from '@panel/web-daemon/features/metrics/component.ts'
import type { Clock } from '@panel/web-daemon/features/metrics/clock.ts'
import { INTERFACES_KEPT } from '@panel/web-daemon/features/metrics/history.ts'
import { READ_EACH_TIME } from '@panel/web-daemon/features/metrics/links.ts'
import { Metrics, SAVE_EVERY_MS, type MetricsDeps } from '@panel/web-daemon/features/metrics/metrics.ts'
import { NAMES_KEPT, readTotals, writeTotals } from '@panel/web-daemon/features/metrics/store.ts'
import { capturedLinks, FakeHost } from '../../support/fake-host.ts'

type Store = Awaited<ReturnType<typeof openStore>>

describe('the sampling of metrics', () => {
  let db: Store
  let host: FakeHost
  let elapsed: number
  /** What the sampling put off last, and for how long. */
  let next: { ms: number; work: () => void } | null
  let running: Metrics[]
  let bus: Bus
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    bus = new Bus(makeLogger({ write: () => undefined }))
    host = new FakeHost()
    host.traffic({ lo: [5000, 5000], eth0: [1_000_000, 400_000], 'gre-a-1': [100, 200] })
    ;[elapsed, next, running] = [0, null, []]
  })
  afterEach(async () => {
    for (const metrics of running) await metrics.stop()
    await db.destroy()
  })

  const clock: Clock = {
    monotonic: () => elapsed,
    after: (ms, work) => {
      next = { ms, work }
      return () => void (next = null)
    },
  }
  const make = (parts: Partial<MetricsDeps> = {}): Metrics => {
    const now = (): Date => new Date(Date.UTC(2026, 0, 1) + elapsed)
    return new Metrics({
      db,
      bus,
      host,
      now,
      clock,
      settings: settingsWith(),
      logger: makeLogger({ write: () => undefined }),
      ...parts,
    })
  }
  /** Readings are taken by hand: the clock of the test puts its work off for good. */
  const start = async (parts: Partial<MetricsDeps> = {}): Promise<Metrics> => {
    const metrics = make(parts)
    await metrics.start()
    running.push(metrics)
    return metrics
  }
  const after = async (metrics: Metrics, seconds: number): Promise<MetricsSnapshot> => {
    elapsed += seconds * 1000
    await metrics.sampler.take()
    return (await metrics.sampler.current())!
  }
  const of = ({ network }: MetricsSnapshot, name: string) => network.interfaces.find((one) => one.name === name)!
  const figures = (snapshot: MetricsSnapshot, name: string): number[] => {
    const {
      rx_bytes_per_second,
      tx_bytes_per_second,
      rx_bytes_since_boot,
      rx_bytes_since_install,
      tx_bytes_since_install,
    } = of(snapshot, name)
    return [
      rx_bytes_per_second,
      tx_bytes_per_second,
      rx_bytes_since_boot,
      rx_bytes_since_install,
      tx_bytes_since_install,
    ]
  }

  it('gives rates in bytes per second, over the time that really passed', async () => {
    const metrics = await start()
    host.traffic({ lo: [0, 0], eth0: [1_003_000, 400_100], 'gre-a-1': [100, 200] })
    assert.deepEqual(figures(await after(metrics, 1.5), 'eth0'), [2000, 66.67, 1_003_000, 3000, 100])
    assert.deepEqual(figures(await after(metrics, 1), 'eth0'), [0, 0, 1_003_000, 3000, 100])
  })

  it('takes a counter that goes backwards for a restart, never for a negative rate', async () => {
    const metrics = await start()
    host.traffic({ eth0: [1_000_000, 400_000], 'gre-a-1': [60, 30] })
    assert.deepEqual(figures(await after(metrics, 2), 'gre-a-1'), [30, 15, 60, 60, 30])
  })

  it('goes on where it was after a restart of the panel: what passed meanwhile is counted', async () => {
    const first = await start()
    host.traffic({ eth0: [1_000_500, 400_050] })
    await after(first, 1)
    await first.stop()
    host.traffic({ eth0: [1_002_000, 400_060] })
    assert.deepEqual(figures(await after(await start(), 1), 'eth0'), [0, 0, 1_002_000, 2000, 60])
  })

  it('goes on after a reboot, whose counters begin at zero', async () => {
    const first = await start()
    host.traffic({ eth0: [1_000_500, 400_050] })
    await after(first, 1)
    await first.stop()
    host.boot('the second boot')
    host.traffic({ eth0: [1_700_000, 10] })
    assert.deepEqual(figures(await after(await start(), 1), 'eth0'), [0, 0, 1_700_000, 1_700_500, 60])
  })

  it('loses nothing to a crash of the panel, since the kernel goes on counting', async () => {
    const crashed = await start()
    host.traffic({ eth0: [1_000_900, 400_000] })
    await after(crashed, 1)
    assert.deepEqual(figures(await after(await start(), 1), 'eth0'), [0, 0, 1_000_900, 900, 0])
  })

  it('loses no more than a minute to a power cut', async () => {
    const metrics = await start()
    host.traffic({ eth0: [1_000_700, 400_000] })
    await after(metrics, SAVE_EVERY_MS / 1000)
    assert.equal((await readTotals(db)).get('eth0')?.rx_bytes_since_install, 700)
  })

  it('counts an interface that comes later from its beginning, and one that was recreated on top', async () => {
    const metrics = await start()
    host.addLink('tap1', capturedLinks['tap1']!)
    host.traffic({ eth0: [1_000_000, 400_000], tap1: [50, 5] })
    assert.deepEqual(figures(await after(metrics, 1), 'tap1'), [0, 0, 50, 50, 5])
    host.traffic({ eth0: [1_000_000, 400_000] })
    assert.equal(of(await after(metrics, 1), 'tap1'), undefined)
    host.remake('tap1', 99)
    host.traffic({ eth0: [1_000_000, 400_000], tap1: [60, 6] })
    assert.deepEqual(figures(await after(metrics, 1), 'tap1'), [0, 0, 60, 110, 11])
    host.remake('tap1', 100)
    host.traffic({ eth0: [1_000_000, 400_000], tap1: [70, 7] })
    assert.deepEqual(figures(await after(metrics, 1), 'tap1'), [70, 7, 70, 180, 18])
  })

  it('sums the physical interfaces up, so that no byte in a tunnel counts twice', async () => {
    const metrics = await start()
    host.traffic({ lo: [9000, 9000], eth0: [1_001_000, 400_000], 'gre-a-1': [1100, 200] })
    const { network } = await after(metrics, 1)
    assert.deepEqual(network.totals, {
      rx_bytes_per_second: 1000,
      tx_bytes_per_second: 0,
      rx_bytes_since_boot: 1_001_000,
      tx_bytes_since_boot: 400_000,
      rx_bytes_since_install: 1000,
      tx_bytes_since_install: 0,
    })
  })

  it('sums up what there is where nothing is physical, as in a container', async () => {
    host.traffic({ lo: [1, 1], veth0: [10, 20], 'gre-a-1': [1, 2] })
    assert.equal((await after(await start(), 1)).network.totals.rx_bytes_since_boot, 10)
  })

  it('hides the loopback, or shows it', async () => {
    assert.equal(of(await after(await start(), 1), 'lo'), undefined)
    assert.equal(
      of(await after(await start({ settings: settingsWith({ 'metrics.hide_loopback': false }) }), 1), 'lo').class,
      'loopback',
    )
  })

  it('says when a disk is getting full, and when it is', async () => {
    const level = async (bavail: number) => {
      host.disks.set('/', async () => ({ bsize: 1, blocks: 1000, bfree: bavail, bavail, files: 0, ffree: 0 }))
      return (await after(await start(), 1)).disks[0]?.level
    }
    assert.deepEqual([await level(151), await level(150), await level(50)], ['ok', 'warn', 'critical'])
  })

  it('keeps the configured number of readings, the newest', async () => {
    const metrics = await start({ settings: settingsWith({ 'metrics.history_points': 10 }) })
    for (let i = 0; i < 25; i++) await after(metrics, 1)
    const { points, total } = metrics.sampler.history(1000)
    assert.deepEqual([points.length, total], [10, 10])
    assert.deepEqual(
      points.map(({ at }) => Date.parse(at) / 1000 - Date.UTC(2026, 0, 1) / 1000),
      [16, 17, 18, 19, 20, 21, 22, 23, 24, 25],
    )
    assert.deepEqual(metrics.sampler.history(3).points, points.slice(-3))
    assert.deepEqual(metrics.sampler.history(0), { points: [], total: 10 })
  })

  it('keeps of a thousand interfaces the rates of some, the physical ones first, and looks at some of them again each time', async () => {
    const many: Record<string, [number, number]> = {}
    for (let i = 0; i < 1000; i++) {
      host.addLink(`gre-a-${i}`, capturedLinks['gre-a-1']!)
      many[`gre-a-${i}`] = [i, i]
    }
    host.traffic({ ...many, eth0: [1, 1] })
    const metrics = await start()
    host.reads = 0
    assert.equal((await after(metrics, 1)).network.interfaces.length, 1001)
    assert.ok(host.reads < READ_EACH_TIME * 4 + 10, `${host.reads} files for one reading`)
    const kept = metrics.sampler.history(1).points[0]!.network.interfaces
    assert.deepEqual([kept.length, kept[0]!.name], [INTERFACES_KEPT, 'eth0'])
    host.files.set('/sys/class/net/gre-a-999/operstate', 'down\n')
    let rounds = 0
    while (of(await after(metrics, 1), 'gre-a-999').oper_state !== 'DOWN')
      assert.ok(++rounds <= Math.ceil(1001 / READ_EACH_TIME))
    for (const number of [0, 500, 999]) {
      host.files.set(`/sys/class/net/gre-a-${number}/mtu`, '1400\n')
      bus.publish('host.changed', {
        events: [{ subject: 'link', interface_name: `gre-a-${number}`, index: 0, is_removal: false }],
      })
      assert.equal(of(await after(metrics, 1), `gre-a-${number}`).mtu, 1400, 'the kernel told of it')
    }
  })

  it('forgets the names that were seen longest ago, above thousands', async () => {
    const tally = {
      boot_id: 'one',
      interface_index: 1,
      rx_bytes_seen: 1,
      tx_bytes_seen: 1,
      rx_bytes_since_install: 2 ** 53 - 1,
      tx_bytes_since_install: 1,
    }
    const old = new Map(
      Array.from({ length: NAMES_KEPT }, (_, i) => [`veth${i}`, { ...tally, seen_date: new Date(i).toISOString() }]),
    )
    await writeTotals(db, old)
    assert.equal((await readTotals(db)).get('veth0')?.rx_bytes_since_install, 2 ** 53 - 1)
    await start()
    const kept = await readTotals(db)
    assert.deepEqual(
      [kept.size, kept.has('eth0'), kept.has('veth0'), kept.has('veth4999')],
      [NAMES_KEPT, true, false, true],
    )
  })

  it('keeps to its grid: a first reading within a second, then one each interval, and none to make up for what was missed', async () => {
    const metrics = await start({ settings: settingsWith({ 'metrics.sample_interval_seconds': 10 }) })
    const round = async (late: number): Promise<number> => {
      const taken = metrics.sampler.history(0).total
      const { ms, work } = next!
      ;[next, elapsed] = [null, elapsed + ms + late]
      work()
      while (metrics.sampler.history(0).total === taken || next === null)
        await new Promise((resolve) => setImmediate(resolve))
      return ms
    }
    assert.deepEqual(
      [await round(0), await round(300), await round(0), await round(35_000), await round(0)],
      [1000, 10_000, 9700, 10_000, 5000],
    )
  })

  it('says of itself what is so: not begun, starting, at work, late', async () => {
    const metrics = make()
    const status = (): string => metricsComponent(metrics).status
    assert.equal(status(), 'unknown')
    await metrics.start()
    running.push(metrics)
    assert.match(metricsComponent(metrics).detail.message, /on their way/)
    elapsed += 10_000
    assert.equal(status(), 'starting')
    await after(metrics, 1)
    assert.deepEqual(metricsComponent(metrics), {
      name: 'metrics',
      status: 'ok',
      detail: message('component.sampling', { seconds: 1, count: 1, watching: 0 }),
    })
    elapsed += 10_000
    assert.equal(status(), 'starting')
    elapsed += 20_000
    assert.deepEqual(metricsComponent(metrics), {
      name: 'metrics',
      status: 'error',
      detail: message('component.sampling_late', { seconds: 30 }),
    })
  })

  it('says that it has failed where no first reading comes at all', async () => {
    const metrics = await start()
    elapsed += 29_000
    assert.equal(metricsComponent(metrics).status, 'starting')
    elapsed += 2000
    assert.deepEqual(metricsComponent(metrics), {
      name: 'metrics',
      status: 'error',
      detail: message('component.sampling_late', { seconds: 31 }),
    })
  })
})
