// The load of the host and its traffic (reference.md: Metrics, Metrics snapshot, Events; decisions.md, M1 to M3, E3 to
// E7, W3).
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MetricsHistoryAnswer, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { thisHost } from '@panel/web-daemon/features/metrics/host.ts'
import { eventually } from '../support/eventually.ts'
import { settingsWith } from '../support/settings.ts'
import { FakeHost } from '../support/fake-host.ts'
import type { Client } from './support/client.ts'
import { OPERATOR, startPanel, type TestPanel, type TestParts } from './support/panel.ts'
import { openStream, type OpenStream } from './support/streams.ts'
import { tunnelRequest } from '../support/records.ts'

const STREAM = 'GET /system/metrics/stream'

describe('/system/metrics', () => {
  let panel: TestPanel
  let operator: Client
  let host: FakeHost
  let left: OpenStream[]
  /** The folders of stores in files, which go once nothing has them open. */
  let folders: string[]
  beforeEach(() => {
    host = new FakeHost()
    left = []
    folders = []
  })
  afterEach(async () => {
    for (const open of left) open.leave()
    await panel.close()
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  const serve = async (parts: TestParts = {}): Promise<void> => {
    panel = await startPanel({
      metrics: { host, settings: settingsWith({ 'metrics.sample_interval_seconds': 0.2 }) },
      ...parts,
    })
    operator = await panel.setUp()
  }
  const sample = async (parts?: TestParts): Promise<void> => {
    await serve(parts)
    await panel.metrics.start()
  }
  const newest = async (): Promise<MetricsSnapshot> => {
    const { status, body } = await operator.get<MetricsSnapshot>('/system/metrics')
    assert.equal(status, 200)
    return body
  }
  const watch = async (): Promise<OpenStream> => {
    const open = await openStream(operator, '/system/metrics/stream')
    left.push(open)
    return open
  }
  const snapshots = (open: OpenStream): MetricsSnapshot[] => open.events().map(({ data }) => data as MetricsSnapshot)

  it('gives a snapshot of this very host, with every figure a number', async () => {
    await sample({
      metrics: {
        host: thisHost,
        settings: settingsWith({ 'metrics.sample_interval_seconds': 0.2, 'metrics.hide_loopback': false }),
      },
    })
    const { at, interval_seconds, cpu, memory, swap, load, disks, network, routes, route_totals, errors } =
      await newest()
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(interval_seconds, 0.2)
    assert.equal(cpu[0]?.name, 'cpu')
    assert.ok(cpu.length > 1)
    for (const one of cpu)
      assert.ok(Object.values(one).every((value) => typeof value === 'string' || (value >= 0 && value <= 100)))
    assert.ok(
      Number.isInteger(memory.total_bytes) &&
        memory.total_bytes > 0 &&
        Number.isInteger(memory.used_bytes) &&
        memory.used_bytes <= memory.total_bytes,
    )
    assert.equal(swap.configured, swap.total_bytes > 0)
    assert.ok(load.one >= 0 && load.total_tasks > 0)
    assert.ok(Array.isArray(disks))
    const loopback = network.interfaces.find((one) => one.class === 'loopback')
    for (const figure of [
      'rx_bytes_since_boot',
      'rx_bytes_since_install',
      'tx_bytes_since_boot',
      'tx_bytes_since_install',
    ] as const)
      assert.ok(Number.isInteger(loopback?.[figure]), figure)
    for (const value of Object.values(network.totals)) assert.equal(typeof value, 'number')
    assert.deepEqual([routes, route_totals.routes, errors], [[], 0, []])
  })

  it('counts bytes that really move: a rate above zero after two readings, in both figures', async () => {
    await sample({
      metrics: {
        host: thisHost,
        settings: settingsWith({ 'metrics.sample_interval_seconds': 0.2, 'metrics.hide_loopback': false }),
      },
    })
    const moving = setInterval(() => void operator.get('/auth/me'), 20)
    try {
      const open = await watch()
      const loopbackOf = (snapshot: MetricsSnapshot) =>
        snapshot.network.interfaces.find((one) => one.class === 'loopback')!
      await open.until(3)
      const [first, last] = [loopbackOf(snapshots(open)[0]!), loopbackOf(snapshots(open).at(-1)!)]
      assert.ok(last.rx_bytes_per_second > 0 && last.tx_bytes_per_second > 0)
      assert.ok(last.rx_bytes_since_install > first.rx_bytes_since_install)
      assert.equal(
        last.rx_bytes_since_boot - first.rx_bytes_since_boot,
        last.rx_bytes_since_install - first.rx_bytes_since_install,
      )
    } finally {
      clearInterval(moving)
    }
  })

  it('waits for the first reading, and does not wait where none will come', async () => {
    await serve()
    const { status, error } = await operator.get('/system/metrics')
    assert.deepEqual([status, error.code], [503, 'SERVICE_UNAVAILABLE'])
    await panel.metrics.start()
    assert.equal(panel.metrics.sampler.latest, null)
    await newest()
    await panel.metrics.stop()
    assert.equal((await operator.get('/system/metrics')).status, 503)
  })

  it('reads no file that only root may read, and asks the root helper nothing', async () => {
    await sample({ request: () => Promise.reject(new Error('nobody is asked')) })
    assert.deepEqual((await newest()).errors, [])
  })

  it("tells the panel's own Ethernet tunnels from other Ethernets", async () => {
    await serve()
    panel.kernel.hostLimits = { ...DEFAULT_LIMITS, reserved_names: [] }
    const { status } = await operator.post('/tunnels', tunnelRequest({ tunnel_type_id: 20, interface_name: 'tap1' }))
    assert.equal(status, 201)
    await panel.metrics.start()
    const { network } = await newest()
    assert.deepEqual(
      network.interfaces
        .filter(({ name }) => ['tap1', 'veth0', 'gre-a-1'].includes(name))
        .map((one) => [one.name, one.class, one.kind]),
      [
        ['gre-a-1', 'tunnel', 'gre'],
        ['tap1', 'tunnel', 'gretap'],
        ['veth0', 'other', ''],
      ],
    )
  })

  it('keeps the bytes since the installation over a restart of the panel and a reboot of the host', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'panel-metrics-'))
    folders.push(directory)
    const store = join(directory, 'panel.db')
    const eth0 = async () => (await newest()).network.interfaces.find(({ name }) => name === 'eth0')!
    host.traffic({ eth0: [7_000_000, 3_000_000] })
    await sample({ store })
    assert.deepEqual([(await eth0()).rx_bytes_since_boot, (await eth0()).rx_bytes_since_install], [7_000_000, 0])
    host.traffic({ eth0: [7_000_100, 3_000_000] })
    await eventually(() => panel.metrics.sampler.latest?.network.totals.rx_bytes_since_install === 100, 'counted')
    await panel.close()
    host.boot('another boot')
    host.traffic({ eth0: [40, 4] })
    panel = await startPanel({ store, metrics: { host } })
    await panel.metrics.start()
    operator = await panel.signIn()
    const { rx_bytes_since_boot, rx_bytes_since_install, tx_bytes_since_install } = await eth0()
    assert.deepEqual([rx_bytes_since_boot, rx_bytes_since_install, tx_bytes_since_install], [40, 140, 4])
  })

  it('gives the readings of the buffer, newest last, and how many there are; limit takes the newest', async () => {
    await serve()
    const history = async (query = ''): Promise<MetricsHistoryAnswer> =>
      (await operator.get<MetricsHistoryAnswer>(`/system/metrics/history${query}`)).body
    assert.deepEqual(await history(), { points: [], total: 0 })
    await panel.metrics.start()
    await eventually(() => panel.metrics.sampler.history(0).total >= 4, 'four readings')
    await panel.metrics.stop()
    const { points, total } = await history()
    assert.equal(points.length, total)
    assert.deepEqual(
      points.map(({ at }) => at),
      points.map(({ at }) => at).sort(),
    )
    assert.deepEqual(await history('?limit=2'), { points: points.slice(-2), total })
    for (const query of ['?limit=100000', '?limit=many', '?limit=-1'])
      assert.equal((await history(query)).points.length, total)
    assert.deepEqual((await history('?limit=0')).points, [])
    assert.ok((points[0]?.network.interfaces.length ?? 0) > 0)
    const slim = await history('?limit=2&detail=host')
    assert.deepEqual(
      slim.points,
      points.slice(-2).map((point) => ({ ...point, network: { ...point.network, interfaces: [] }, routes: [] })),
    )
    assert.deepEqual(Object.keys(points[0]!.network.interfaces[0]!).sort(), [
      'name',
      'rx_bytes_per_second',
      'tx_bytes_per_second',
    ])
  })

  it('streams a reading named "metrics" on connect, and one each interval, the relay rules in it', async () => {
    await sample()
    await newest()
    const open = await watch()
    await open.until(4)
    assert.deepEqual([open.status, open.headers['content-type']], [200, 'text/event-stream'])
    assert.ok(open.events().every(({ name }) => name === 'metrics'))
    for (const snapshot of snapshots(open))
      assert.deepEqual([snapshot.routes, snapshot.route_totals.routes, snapshot.cpu.length], [[], 0, 3])
    const times = snapshots(open).map(({ at }) => Date.parse(at))
    for (let i = 2; i < times.length; i++)
      assert.ok(times[i]! - times[i - 1]! > 100, `${times[i]! - times[i - 1]!} ms between two readings`)
  })

  it('streams to one who comes before the first reading as soon as it is there', async () => {
    await sample()
    const open = await watch()
    assert.deepEqual(open.events(), [])
    await open.until(1)
  })

  it('streams the same to 200 subscribers, and counts them back to zero', async function () {
    await sample()
    await newest()
    const all = await Promise.all(Array.from({ length: 200 }, watch))
    assert.equal(panel.metrics.sampler.topic.size, 200)
    await Promise.all(all.map((open) => open.until(3)))
    const reported = new Map<string, Set<string>>()
    for (const snapshot of all.flatMap(snapshots))
      reported.set(snapshot.at, (reported.get(snapshot.at) ?? new Set()).add(JSON.stringify(snapshot)))
    assert.ok([...reported.values()].every((versions) => versions.size === 1))
    assert.match(await metricsHealth(), /^ok: .*200 watching$/)
    for (const open of all) open.leave()
    await eventually(() => panel.metrics.sampler.topic.size === 0 && panel.streams.count(STREAM) === 0, 'back to zero')
    assert.match(await metricsHealth(), / 0 watching$/)
  })

  it('ends the stream of a session that is revoked', async () => {
    await sample()
    const open = await watch()
    await operator.put('/auth/me', { current_password: OPERATOR.password, new_password: 'a new and longer one' })
    await open.ended
    await eventually(() => panel.metrics.sampler.topic.size === 0, 'released')
  })

  it('needs a session, everywhere', async () => {
    await serve()
    for (const path of ['/system/metrics', '/system/metrics/history', '/system/metrics/stream']) {
      const { status, error } = await panel.visitor().get(path)
      assert.deepEqual([status, error.code], [401, 'UNAUTHENTICATED'], path)
    }
  })

  const metricsHealth = async (): Promise<string> => {
    const { body } = await operator.get<{ components: { name: string; status: string; detail: string }[] }>(
      '/system/health',
    )
    const found = body.components.find(({ name }) => name === 'metrics')
    return `${found?.status}: ${found?.detail}`
  }

  it('has its state in health: not begun, at work, or with what cannot be read', async () => {
    await serve()
    assert.equal(await metricsHealth(), 'unknown: Sampling has not started')
    await panel.metrics.start()
    await newest()
    assert.match(await metricsHealth(), /^ok: One reading every 0.2 s, \d+ kept, 0 watching$/)
    host.files.delete('/proc/meminfo')
    await eventually(() => (panel.metrics.sampler.latest?.errors.length ?? 0) > 0, 'an error')
    assert.match(await metricsHealth(), /^degraded: The memory: ENOENT/)
  })
})
