// Sampling where something cannot be read or stored: that part is reported, and the rest goes on.
import assert from 'node:assert/strict'
import type { MetricsError, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { settingsWith } from '../../support/settings.ts'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { Bus } from '@panel/web-daemon/platform/events/bus.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { metricsComponent } from '@panel/web-daemon/features/metrics/component.ts'
import type { Clock } from '@panel/web-daemon/features/metrics/clock.ts'
import { Metrics, type MetricsDeps } from '@panel/web-daemon/features/metrics/metrics.ts'
import { readTotals } from '@panel/web-daemon/features/metrics/store.ts'
import { FakeHost } from '../../support/fake-host.ts'

const describeError = ({ part, detail, detail_message }: MetricsError): string[] => [
  part,
  detail,
  detail_message.message_id,
]

type Store = Awaited<ReturnType<typeof openStore>>

describe('a sampling of metrics that cannot read or store everything', () => {
  let db: Store
  let host: FakeHost
  let elapsed: number
  let running: Metrics[]
  let bus: Bus
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    bus = new Bus(makeLogger({ write: () => undefined }))
    host = new FakeHost()
    host.traffic({ lo: [5000, 5000], eth0: [1_000_000, 400_000], 'gre-a-1': [100, 200] })
    ;[elapsed, running] = [0, []]
  })
  afterEach(async () => {
    for (const metrics of running) await metrics.stop()
    await db.destroy()
  })

  const clock: Clock = {
    monotonic: () => elapsed,
    after: () => () => undefined,
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

  it('tells of a disk that cannot be read, and of the others all the same', async () => {
    host.files.set(
      '/proc/self/mountinfo',
      ['1 1 8:1 / / rw - ext4 /dev/sda rw', '1 1 8:2 / /secret rw - ext4 /dev/sdb rw'].join('\n'),
    )
    const { disks, errors } = await after(await start(), 1)
    assert.deepEqual(disks, [
      {
        device: '/dev/sda',
        mount_point: '/',
        filesystem: 'ext4',
        is_read_only: false,
        total_bytes: 4_096_000,
        used_bytes: 2_048_000,
        available_bytes: 1_638_400,
        used_percent: 55.56,
        inodes_total: 100,
        inodes_used_percent: 25,
        level: 'ok',
      },
    ])
    assert.deepEqual(errors.map(describeError), [
      ['disks', '/secret cannot be read: EACCES: permission denied', 'component.disk_unreadable'],
    ])
  })

  it('is not held up by a disk that does not answer, and asks it once', async () => {
    let requests = 0
    host.disks.set('/', () => {
      requests++
      return new Promise(() => undefined)
    })
    const metrics = await start()
    for (let i = 0; i < 3; i++)
      assert.deepEqual((await after(metrics, 1)).errors.map(describeError), [
        ['disks', '/ does not answer', 'component.disk_silent'],
      ])
    assert.equal(requests, 1)
    assert.equal(metricsComponent(metrics).status, 'degraded')
  })

  it('tells which part cannot be read, and gives the rest', async () => {
    host.files.delete('/proc/stat')
    host.files.set('/proc/loadavg', 'high\n')
    const { cpu, load, errors, memory } = await after(await start(), 1)
    assert.deepEqual([cpu, load.one, memory.total_bytes > 0], [[], 0, true])
    assert.deepEqual(
      errors.map(({ part }) => part),
      ['cpu', 'load'],
    )
  })

  it('tells that the sums cannot be stored, goes on counting, and stores them when it can', async () => {
    const metrics = await start()
    await db.schema.alterTable('interface_traffic').renameTo('elsewhere').execute()
    host.traffic({ eth0: [1_000_100, 400_000] })
    const [error] = (await after(metrics, 61)).errors
    assert.match(`${error?.part}: ${error?.detail}`, /^store: The sums .*no such table/)
    await db.schema.alterTable('elsewhere').renameTo('interface_traffic').execute()
    assert.deepEqual((await after(metrics, 1)).errors, [])
    assert.equal((await readTotals(db)).get('eth0')?.rx_bytes_since_install, 100)
  })

  it('takes the relay rules from their owner, and reports when those cannot be read', async () => {
    const refuse = (): Promise<never> => Promise.reject(new Error('no answer'))
    const [snapshot] = [await after(await start(), 1)]
    assert.deepEqual([snapshot.routes, snapshot.route_totals.routes], [[], 0])
    const failing = await start({ routes: { brief: refuse, all: refuse } })
    const { routes, errors } = await after(failing, 1)
    const error = { part: 'routes', ...messageFields('detail', verbatim('no answer')) }
    assert.deepEqual([routes, errors], [[], [error]])
  })
})
