// What the settings of the monitoring change, at once and without a restart: how tunnels are probed, how they are
// judged, what is kept of it.
import assert from 'node:assert/strict'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { TcpProbeResult } from '@panel/web-daemon/features/monitor/classify.ts'
import { emptyBucket } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { eventually } from '../support/eventually.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { FakeProber } from '../support/fake-prober.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { effectsOf } from './support/effects.ts'
import { historyOf, statusOf } from './support/monitor.ts'
import { requestThrough, type TestPanel } from './support/panel.ts'
import { set } from './support/settings.ts'
import { createTunnel, patchTunnel } from './support/tunnels.ts'

const NAME = 'gre-a-1'
let prober: FakeProber
let knocks: number

/** Tunnel 1 is there and is probed. */
const probed = async (client: Client, { monitor }: TestPanel): Promise<void> => {
  await monitor.start()
  assert.equal((await createTunnel(client)).status, 201)
  await eventually(() => prober.of(NAME) !== undefined)
}
const target = (field: 'interval_ms' | 'timeout_ms' | 'packet_size'): number | undefined => prober.of(NAME)?.[field]
const state = async (client: Client): Promise<string> => (await statusOf(client, 1)).state
const buckets = async ({ db }: TestPanel): Promise<number> =>
  (await db.selectFrom('monitor_bucket').selectAll().execute()).length

effectsOf(
  'monitor',
  {
    'monitor.enabled': {
      does: 'turned off ends the probing of every tunnel that does not say itself',
      test: async (client, panel) => {
        await probed(client, panel)
        await set(client, { 'monitor.enabled': false })
        assert.equal(await state(client), 'Disabled')
        await patchTunnel(client, 1, { is_monitor_enabled: true })
        assert.equal(await state(client), 'Unknown')
      },
    },
    'monitor.interval_seconds': {
      does: 'is the pace of the probes, from the next one on',
      test: async (client, panel) => {
        await probed(client, panel)
        await set(client, { 'monitor.interval_seconds': 7 })
        await eventually(() => target('interval_ms') === 7000)
      },
    },
    'monitor.timeout_seconds': {
      does: 'is how long an answer is waited for',
      test: async (client, panel) => {
        await probed(client, panel)
        await set(client, { 'monitor.timeout_seconds': 0.5 })
        await eventually(() => target('timeout_ms') === 500)
      },
    },
    'monitor.packet_size': {
      does: 'is the payload of the probes',
      test: async (client, panel) => {
        await probed(client, panel)
        await set(client, { 'monitor.packet_size': 1000 })
        await eventually(() => target('packet_size') === 1000)
      },
    },
    'monitor.window_size': {
      does: 'is how many probes a tunnel is judged by, those that there were among them',
      test: async (client, panel) => {
        await probed(client, panel)
        prober.answer(NAME, 40)
        await set(client, { 'monitor.window_size': 10 })
        assert.equal((await statusOf(client, 1)).stats.received, 10)
      },
    },
    'monitor.degraded_loss_pct': {
      does: 'is the loss from which a tunnel is degraded',
      test: async (client, panel) => {
        await probed(client, panel)
        prober.answer(NAME, 18)
        prober.lose(NAME, 2)
        assert.equal(await state(client), 'Up')
        await set(client, { 'monitor.degraded_loss_pct': 5 })
        await statusOf(client, 1)
        prober.answer(NAME, 3)
        assert.equal(await state(client), 'Degraded')
      },
    },
    'monitor.down_loss_pct': {
      does: 'is the loss from which a tunnel is down',
      test: async (client, panel) => {
        await probed(client, panel)
        prober.answer(NAME, 10)
        prober.lose(NAME, 10)
        assert.equal(await state(client), 'Degraded')
        await set(client, { 'monitor.down_loss_pct': 40, 'monitor.tcp_knock_enabled': false })
        await statusOf(client, 1)
        prober.lose(NAME, 3)
        assert.equal(await state(client), 'Down')
      },
    },
    'monitor.degraded_rtt_ms': {
      does: 'is the time from which a tunnel is degraded, and null is none',
      test: async (client, panel) => {
        await probed(client, panel)
        prober.answer(NAME, 5, 300_000)
        assert.equal(await state(client), 'Up')
        await set(client, { 'monitor.degraded_rtt_ms': 250 })
        await statusOf(client, 1)
        prober.answer(NAME, 3, 300_000)
        assert.equal(await state(client), 'Degraded')
      },
    },
    'monitor.state_change_samples': {
      does: 'is how many samples in a row a change of state takes',
      test: async (client, panel) => {
        await set(client, { 'monitor.state_change_samples': 1 })
        await probed(client, panel)
        prober.answer(NAME)
        assert.equal(await state(client), 'Up')
      },
    },
    'monitor.aggregate_interval_seconds': {
      does: 'is the length of the intervals that history is kept in',
      test: async (client, panel) => {
        await set(client, { 'monitor.aggregate_interval_seconds': 600 })
        await probed(client, panel)
        const { body } = await historyOf(client, 1)
        assert.deepEqual([body.resolution_seconds, Date.parse(body.points[0]?.bucket_start ?? '') % 600_000], [600, 0])
      },
    },
    'monitor.history_retention_days': {
      does: 'is the age at which history is given up',
      test: async (client, panel) => {
        await probed(client, panel)
        await addBuckets(panel.db, [emptyBucket(1, Math.floor(Date.now() / 1000) - 3 * 86_400)])
        await panel.monitor.historyWriter.save()
        assert.equal(await buckets(panel), 1)
        await set(client, { 'monitor.history_retention_days': 2 })
        await panel.monitor.historyWriter.save()
        assert.equal(await buckets(panel), 0)
      },
    },
    'monitor.tcp_knock_enabled': {
      does: 'turned off has nobody knock at a silent peer, which then is down',
      test: async (client, panel) => {
        await set(client, { 'monitor.tcp_knock_enabled': false })
        await probed(client, panel)
        prober.lose(NAME, 6)
        assert.deepEqual([await state(client), knocks], ['Down', 0])
        await set(client, { 'monitor.tcp_knock_enabled': true })
        await statusOf(client, 1)
        prober.lose(NAME)
        assert.equal(knocks, 1)
      },
    },
  },
  () => {
    ;[prober, knocks] = [new FakeProber(), 0]
    const helper = inProcessHelper(new FakeKernel())
    const knock = async (): Promise<TcpProbeResult> => ({ isAlive: true, detail: verbatim(`knock ${++knocks}`) })
    return {
      request: prober.asking(requestThrough(helper.request)),
      stream: prober.streaming(helper.stream),
      monitor: { tcpProbe: knock },
    }
  },
)
