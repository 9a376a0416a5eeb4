// What the settings of the metrics and the page change, each at once.
import assert from 'node:assert/strict'
import type { MeAnswer } from '@panel/shared/api/auth.ts'
import type { DiskReading, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { eventually } from '../support/eventually.ts'
import { FakeHost } from '../support/fake-host.ts'
import { effectsOf, type KeysOf } from './support/effects.ts'
import { type TestPanel } from './support/panel.ts'
import { set, valueOf } from './support/settings.ts'
import { createRoute } from './support/routes.ts'

async function reading({ metrics }: TestPanel): Promise<MetricsSnapshot> {
  if (!metrics.sampler.isRunning) await metrics.start()
  await metrics.sampler.take()
  return (await metrics.sampler.current())!
}

const rootDisk = async (panel: TestPanel): Promise<DiskReading['level'] | undefined> =>
  (await reading(panel)).disks.find(({ mount_point }) => mount_point === '/')?.level

const hostWithMemory = (): FakeHost => {
  const host = new FakeHost()
  host.traffic({ lo: [1, 1], eth0: [1, 1] })
  host.disks.set('/run', async () => ({ bsize: 4096, blocks: 100, bfree: 50, bavail: 50, files: 10, ffree: 5 }))
  return host
}

effectsOf(
  'metrics',
  {
    'metrics.sample_interval_seconds': {
      does: 'is the time to the next reading, also of one that is waited for already',
      test: async (client, { metrics }) => {
        await set(client, { 'metrics.sample_interval_seconds': 600 })
        await metrics.start()
        await eventually(() => metrics.sampler.history(0).total === 1)
        await set(client, { 'metrics.sample_interval_seconds': 0.2 })
        await eventually(() => metrics.sampler.history(0).total >= 3)
        assert.equal(metrics.sampler.latest?.interval_seconds, 0.2)
        await set(client, { 'metrics.sample_interval_seconds': 600 })
        await eventually(() => metrics.sampler.ageMs > 1000)
      },
    },
    'metrics.history_points': {
      does: 'is how many readings are kept: fewer keep the newest, more leave room',
      test: async (client, panel) => {
        await set(client, { 'metrics.sample_interval_seconds': 600 })
        for (let i = 0; i < 15; i += 1) await reading(panel)
        const newest = panel.metrics.sampler.history(1).points
        await set(client, { 'metrics.history_points': 10 })
        assert.deepEqual(
          [panel.metrics.sampler.history(100).points.length, panel.metrics.sampler.history(1).points],
          [10, newest],
        )
        await set(client, { 'metrics.history_points': 12 })
        for (let i = 0; i < 5; i += 1) await reading(panel)
        assert.equal((await client.get<{ total: number }>('/system/metrics/history')).body.total, 12)
      },
    },
    'metrics.hide_loopback': {
      does: 'turned off shows lo in the next reading',
      test: async (client, panel) => {
        const names = async (): Promise<string[]> => (await reading(panel)).network.interfaces.map(({ name }) => name)
        assert.deepEqual(await names(), ['eth0'])
        await set(client, { 'metrics.hide_loopback': false })
        assert.deepEqual(await names(), ['lo', 'eth0'])
      },
    },
    'metrics.hide_pseudo_filesystems': {
      does: 'turned off shows file systems without a disk behind them',
      test: async (client, panel) => {
        const points = async (): Promise<string[]> => (await reading(panel)).disks.map(({ mount_point }) => mount_point)
        assert.deepEqual(await points(), ['/'])
        await set(client, { 'metrics.hide_pseudo_filesystems': false })
        assert.ok((await points()).includes('/run'))
      },
    },
    'metrics.disk_warn_pct': {
      does: 'is the use from which a disk calls for a warning',
      test: async (client, panel) => {
        assert.equal(await rootDisk(panel), 'ok')
        await set(client, { 'metrics.disk_warn_pct': 50 })
        assert.equal(await rootDisk(panel), 'warn')
      },
    },
    'metrics.disk_critical_pct': {
      does: 'is the use from which a disk is critical',
      test: async (client, panel) => {
        await set(client, { 'metrics.disk_warn_pct': 40, 'metrics.disk_critical_pct': 50 })
        assert.equal(await rootDisk(panel), 'critical')
      },
    },
    'metrics.prometheus_enabled': {
      does: 'opens /metrics, which is 404 without it',
      test: async (client) => {
        assert.equal((await client.raw('GET', '/metrics')).status, 404)
        await set(client, { 'metrics.prometheus_enabled': true })
        assert.equal((await client.raw('GET', '/metrics')).status, 200)
      },
    },
    'metrics.prometheus_rules': {
      does: 'says which relay rules are in /metrics',
      test: async (client) => {
        await set(client, { 'metrics.prometheus_enabled': true })
        await createRoute(client)
        const hasRules = async (): Promise<boolean> => (await client.raw('GET', '/metrics')).text.includes('rule="1"')
        assert.equal(await hasRules(), true)
        await set(client, { 'metrics.prometheus_rules': 'tagged' })
        assert.equal(await hasRules(), false)
      },
    },
  },
  () => ({ metrics: { host: hostWithMemory() } }),
)

/** The page shows what the API tells in plain units, and asks for these settings to know how. */
const toldToThePage = (key: KeysOf<'display'>, value: string | boolean, read: typeof valueOf = valueOf) => ({
  does: 'reaches the page, which is its reader',
  test: async (client: Parameters<typeof valueOf>[0]): Promise<void> => {
    assert.notEqual(await read(client, key), value)
    await set(client, { [key]: value })
    assert.equal(await read(client, key), value)
  },
})

effectsOf('display', {
  'display.language': toldToThePage('display.language', 'fa'),
  'display.theme': toldToThePage('display.theme', 'dark'),
  'display.throughput_unit': toldToThePage('display.throughput_unit', 'bits'),
  'display.volume_unit': toldToThePage('display.volume_unit', 'bits'),
  'display.binary_units': toldToThePage('display.binary_units', false),
  'display.digits': toldToThePage('display.digits', 'persian'),
  'display.calendar': toldToThePage('display.calendar', 'jalali'),
  'display.server_name': toldToThePage(
    'display.server_name',
    'Hamburg 1',
    async (client) => (await client.get<MeAnswer>('/auth/me')).body.server_name,
  ),
  'display.server_colour': toldToThePage('display.server_colour', 'red'),
  'display.first_hour': toldToThePage('display.first_hour', false),
})
