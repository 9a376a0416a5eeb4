// What the settings of the metrics, the page and the host's watching change, each at once.
import assert from 'node:assert/strict'
import type { MeAnswer } from '@panel/shared/api/auth.ts'
import type { DiskReading, MetricsSnapshot } from '@panel/shared/api/metrics.ts'
import { LOST } from '@panel/shared/events/model.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { keepPruning } from '@panel/web-daemon/features/audit/retention.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { GRACE_MS } from '@panel/web-daemon/change/remediate.ts'
import { keepWatchingTunnels } from '@panel/web-daemon/features/reconcile/watch.ts'
import { eventually } from '../support/eventually.ts'
import { FakeHost } from '../support/fake-host.ts'
import { effectsOf, type KeysOf } from './support/effects.ts'
import { OPERATOR, type TestPanel } from './support/panel.ts'
import { itemOf, itemsOf, plantByHand } from './support/reconcile.ts'
import { set, valueOf } from './support/settings.ts'
import { createRoute, madeRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

const silent = makeLogger({ write: () => undefined })

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

interface Entries {
  entries: { action: string; target_id: number; username: string; is_success: boolean; operations: string[] }[]
  total: number
}

effectsOf('system', {
  'system.reconcile_interval_seconds': {
    does: 'is the time to the next pass over the host, also of one that is waited for already',
    test: async (client, { bus, settings }) => {
      const passes: string[] = []
      // A hundred times as fast, so that the test can wait for what takes ten seconds.
      const get: typeof settings.get = (key) =>
        key === 'system.reconcile_interval_seconds' ? ((Number(settings.get(key)) / 100) as never) : settings.get(key)
      const end = keepWatchingTunnels(
        { pass: async (because) => passes.push(because), hint: () => undefined },
        { bus, settings: { get }, logger: silent },
      )
      await set(client, { 'system.reconcile_interval_seconds': 86_400 })
      assert.deepEqual(passes, ['start'])
      await set(client, { 'system.reconcile_interval_seconds': 10 })
      await eventually(() => passes.includes('period'))
      await end()
    },
  },
  'system.audit_retention_days': {
    does: 'is the age at which entries of the audit log are deleted, at once where it is lowered',
    test: async (client, { db, bus, settings, clock }) => {
      const end = await keepPruning({ db, bus, settings, now: clock.now, logger: silent })
      const total = async (): Promise<number> => (await client.get<Entries>('/audit?action=Setup')).body.total
      clock.advance(40 * 86_400)
      await client.post('/auth/refresh')
      assert.equal((await client.post('/auth/login', OPERATOR)).status, 200)
      await set(client, { 'system.audit_retention_days': 41 })
      assert.equal(await total(), 1)
      await set(client, { 'system.audit_retention_days': 39 })
      await eventually(async () => (await total()) === 0)
      assert.ok((await client.get<Entries>('/audit')).body.total > 0)
      await end()
    },
  },
  'system.auto_reapply_on_drift': {
    does: "puts right what was changed or removed behind the panel's back, through the same pipeline and with an audit entry, and fights nobody",
    test: async (client, panel) => {
      const { kernel, watch, clock } = panel
      const name = (await createTunnel(client)).body.tunnel.interface_name
      const statusAfterPass = async (): Promise<string> => {
        await watch.pass('event')
        return (await itemOf(client, name)).status
      }
      clock.advance(GRACE_MS / 1000 + 1)
      await kernel.links.setMtu(name, 1400)
      assert.equal(await statusAfterPass(), 'Drifted')
      await set(client, { 'system.auto_reapply_on_drift': true })
      assert.equal(await statusAfterPass(), 'InSync')
      await kernel.links.delete(name)
      clock.advance(30)
      assert.equal(await statusAfterPass(), 'InSync')
      const { entries } = (await client.get<Entries>('/audit?action=TunnelReapply')).body
      assert.deepEqual(
        entries.map(({ action, target_id, username, is_success }) => [action, target_id, username, is_success]),
        [
          ['TunnelReapply', 1, '', true],
          ['TunnelReapply', 1, '', true],
        ],
      )
      assert.match(entries[1]?.operations[0] ?? '', /by the panel itself.*Drifted/)
      assert.ok((entries[1]?.operations.length ?? 0) > 1)
      const statuses: string[] = []
      for (let i = 0; i < 3; i += 1) {
        await kernel.links.setMtu(name, 1400)
        statuses.push(await statusAfterPass())
      }
      assert.deepEqual(statuses, ['Drifted', 'Drifted', 'Drifted'])
      clock.advance(120)
      assert.equal(await statusAfterPass(), 'InSync')
    },
  },
  'system.self_heal': {
    does: 'says what is put back by the panel itself: nothing, relay rules, or tunnels too',
    test: async (client, panel) => {
      const { kernel, watch, routeWatch, clock } = panel
      const name = (await createTunnel(client)).body.tunnel.interface_name
      await madeRoute(client, { bind_port: 1 })
      clock.advance(GRACE_MS / 1000 + 1)
      const afterPass = async (): Promise<[string, boolean]> => {
        await watch.pass('event')
        routeWatch.hint('all')
        await routeWatch.pass('event')
        return [(await itemOf(client, name)).status, kernel.rulesets.rules.has(1)]
      }
      await kernel.links.setMtu(name, 1400)
      kernel.rulesets.rules.clear()
      assert.deepEqual(await afterPass(), ['Drifted', false])
      await set(client, { 'system.self_heal': 'rules' })
      assert.deepEqual(await afterPass(), ['Drifted', true])
      await set(client, { 'system.self_heal': 'all' })
      assert.deepEqual(await afterPass(), ['InSync', true])
      const [{ tunnel_id }] = (await client.get<{ tunnels: [{ tunnel_id: number }] }>('/tunnels')).body.tunnels
      await client.patch(`/tunnels/${tunnel_id}`, { is_self_heal: false })
      await kernel.links.setMtu(name, 1400)
      assert.deepEqual(await afterPass(), ['Drifted', true])
      assert.equal((await itemOf(client, name)).heal?.is_wanted, false)
      await set(client, { 'system.self_heal': 'off' })
      await client.patch(`/tunnels/${tunnel_id}`, { is_self_heal: true })
      clock.advance(60)
      assert.deepEqual(await afterPass(), ['InSync', true])
    },
  },
  'system.safe_apply_mode': {
    does: 'is which commands wait for a confirmation without being asked to',
    test: async (client) => {
      const { tunnel_id } = (await createTunnel(client)).body.tunnel
      const waits = async (mtu: number): Promise<boolean> =>
        'safe_apply' in (await client.patch(`/tunnels/${tunnel_id}`, { mtu })).body
      assert.equal(await waits(1400), false)
      await set(client, { 'system.safe_apply_mode': 'always' })
      assert.equal(await waits(1300), true)
    },
  },
  'system.safe_apply_confirm_by': {
    does: 'is who confirms changes that wait, as the answer tells a page',
    test: async (client) => {
      await set(client, { 'system.safe_apply_confirm_by': 'reach' })
      const { body } = await client.post<SafeApplyAnswer>('/safe-apply', {})
      assert.equal(body.window?.confirm_by, 'reach')
    },
  },
  'system.safe_apply_seconds': {
    does: 'is how long changes wait for a confirmation where nobody says so',
    test: async (client) => {
      await set(client, { 'system.safe_apply_seconds': 90 })
      const { body } = await client.post<SafeApplyAnswer>('/safe-apply', {})
      assert.equal(body.window?.seconds_left, 90)
    },
  },
  'system.ruleset_protection': {
    does: 'is whether root keeps others off the relay rules, which it is told when it is back, and at once',
    test: async (client, { bus, kernel: { rulesets } }) => {
      bus.publish('host.changed', { events: [LOST] })
      await eventually(() => rulesets.wanted === true)
      await set(client, { 'system.ruleset_protection': 'off' })
      await eventually(() => rulesets.wanted === false)
    },
  },
  'system.ignored_interfaces': {
    does: 'leaves interfaces out of the report, and POST /reconcile/ignore sets it',
    test: async (client, { kernel }) => {
      plantByHand(kernel, 'by-hand')
      plantByHand(kernel, 'other', { remote_endpoint: '198.51.100.201' })
      assert.equal((await itemsOf(client)).length, 2)
      await set(client, { 'system.ignored_interfaces': ['by-hand'] })
      assert.deepEqual(
        (await itemsOf(client)).map(({ interface_name }) => interface_name),
        ['other'],
      )
      await client.post('/reconcile/ignore', { interface_name: 'other' })
      assert.deepEqual(await valueOf(client, 'system.ignored_interfaces'), ['by-hand', 'other'])
    },
  },
})
