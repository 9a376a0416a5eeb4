// What the settings of diagnostics change: what a ping or a probe by hand does where its request does not say.
import assert from 'node:assert/strict'
import type { SettingsSchemaAnswer } from '@panel/shared/api/settings.ts'
import type { Client } from './support/client.ts'
import { pinged, probeMtu } from './support/diagnostics.ts'
import { effectsOf, type KeysOf } from './support/effects.ts'
import { set } from './support/settings.ts'
import { codesOf, createTunnel } from './support/tunnels.ts'

/** Quick enough to wait for. */
const QUICK = { count: 1, interval_seconds: 0.01, timeout_seconds: 0.1 }

const pingDoes =
  (key: KeysOf<'diagnostics'>, value: number, param: keyof typeof QUICK) =>
  async (client: Client): Promise<void> => {
    await createTunnel(client)
    await set(client, { [key]: value })
    const { [param]: _, ...others } = QUICK
    assert.equal((await pinged(client, 1, others)).run.params[param], value)
  }

effectsOf('diagnostics', {
  'diagnostics.manual_ping_count': {
    does: 'is how many packets a ping sends',
    test: pingDoes('diagnostics.manual_ping_count', 3, 'count'),
  },
  'diagnostics.manual_ping_interval': {
    does: 'is the time between them',
    test: pingDoes('diagnostics.manual_ping_interval', 0.02, 'interval_seconds'),
  },
  'diagnostics.manual_ping_timeout': {
    does: 'is how long each is waited for',
    test: pingDoes('diagnostics.manual_ping_timeout', 0.2, 'timeout_seconds'),
  },
  'diagnostics.manual_ping_max_count': {
    does: 'is how many may be asked for',
    test: async (client) => {
      await createTunnel(client)
      await set(client, { 'diagnostics.manual_ping_count': 5, 'diagnostics.manual_ping_max_count': 5 })
      assert.deepEqual(codesOf(await client.post('/tunnels/1/diagnostics/ping', { count: 6 })), {
        count: 'INVALID_VALUE',
      })
      const { settings } = (await client.get<SettingsSchemaAnswer>('/settings/schema')).body
      const max = Number(settings.find(({ key }) => key === 'diagnostics.manual_ping_max_count')?.constraints.max)
      await set(client, { 'diagnostics.manual_ping_max_count': max })
      const ping = (count: number) => client.post('/tunnels/1/diagnostics/ping', { count, interval_seconds: 100 })
      assert.deepEqual(Object.keys(codesOf(await ping(max + 1))).sort(), ['count', 'interval_seconds'])
      assert.deepEqual(Object.keys(codesOf(await ping(max))), ['interval_seconds'])
    },
  },
  'diagnostics.mtu_probe_min': {
    does: 'is the smallest packet that a probe tries',
    test: async (client, { kernel }) => {
      await createTunnel(client)
      await set(client, { 'diagnostics.mtu_probe_min': 1000 })
      await probeMtu(client, 1)
      assert.equal(Math.min(...kernel.icmp.sent.map(({ packet_size }) => packet_size + 28)), 1000)
    },
  },
  'diagnostics.mtu_probe_max': {
    does: 'is the largest',
    test: async (client, { kernel }) => {
      await createTunnel(client)
      await set(client, { 'diagnostics.mtu_probe_max': 1600 })
      await probeMtu(client, 1)
      assert.equal(Math.max(...kernel.icmp.sent.map(({ packet_size }) => packet_size + 28)), 1600)
    },
  },
})
