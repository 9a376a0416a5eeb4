// What the settings of relay rules change: the next rule, and how the traffic of all of them is counted from then on.
import assert from 'node:assert/strict'
import type { TrafficHistoryAnswer } from '@panel/shared/api/routes/traffic.ts'
import { eventually } from '../support/eventually.ts'
import { startDnsServer } from '../support/dns-server.ts'
import type { Client } from './support/client.ts'
import { effectsOf } from './support/effects.ts'
import { createRoute, forwarding, madeRoute, warningCodes } from './support/routes.ts'
import { set } from './support/settings.ts'

const history = async (client: Client): Promise<TrafficHistoryAnswer> =>
  (await client.get<TrafficHistoryAnswer>('/routes/1/traffic/history?hours=8760')).body

effectsOf('routes', {
  'routes.default_nat_mode': {
    does: 'is what the destination of a rule sees that does not say',
    test: async (client) => {
      await set(client, { 'routes.default_nat_mode': 30 })
      assert.equal((await madeRoute(client)).nat_mode_id, 30)
    },
  },
  'routes.default_protocol': {
    does: 'is the protocol of a rule that does not say',
    test: async (client) => {
      await set(client, { 'routes.default_protocol': 20 })
      assert.equal((await madeRoute(client)).route_protocol_id, 20)
    },
  },
  'routes.default_clamp_mss': {
    does: 'turned off leaves the segments of a rule that does not say as they are',
    test: async (client) => {
      assert.equal((await madeRoute(client)).is_clamp_mss_to_pmtu, true)
      await set(client, { 'routes.default_clamp_mss': false })
      assert.equal((await madeRoute(client, { bind_port: 444 })).is_clamp_mss_to_pmtu, false)
    },
  },
  'routes.counter_interval_seconds': {
    does: 'is the time to the next reading of the counters, also of one that is waited for already',
    test: async (client, { traffic }) => {
      await set(client, { 'routes.counter_interval_seconds': 600 })
      traffic.start()
      await set(client, { 'routes.counter_interval_seconds': 0.2 })
      await eventually(() => traffic.lastAt !== null)
      await traffic.stop()
    },
  },
  'routes.conntrack_interval_seconds': {
    does: 'is the time to the next count of connections, also of one that is waited for already',
    test: async (client, { traffic }) => {
      await madeRoute(client)
      await set(client, { 'routes.conntrack_interval_seconds': 3600 })
      traffic.start()
      await set(client, { 'routes.conntrack_interval_seconds': 1 })
      await eventually(() => traffic.connections(1) !== null)
      await traffic.stop()
    },
  },
  'routes.aggregate_interval_seconds': {
    does: 'is the span of the entries of the history from then on; what moved before stays as it is',
    test: async (client, { traffic, kernel }) => {
      await madeRoute(client)
      await traffic.sample()
      await set(client, { 'routes.aggregate_interval_seconds': 3600 })
      kernel.rulesets.relay(1, { tx_bytes: 100, tx_packets: 1 })
      await traffic.sample()
      const { interval_seconds, samples, note } = await history(client)
      assert.equal(interval_seconds, 3600)
      assert.match(note, /3600 seconds/)
      assert.equal(samples[0]?.bucket_start_date.slice(14), '00:00.000Z')
    },
  },
  'routes.history_retention_days': {
    does: 'is the age at which history is deleted',
    test: async (client, { traffic, kernel, clock }) => {
      await madeRoute(client)
      await traffic.sample()
      kernel.rulesets.relay(1, { tx_bytes: 100, tx_packets: 1 })
      await traffic.sample()
      await traffic.save()
      clock.advance(2 * 86_400)
      await client.post('/auth/login', { username: 'operator', password: 'correct horse battery' })
      await traffic.save()
      assert.equal((await history(client)).total, 1)
      await set(client, { 'routes.history_retention_days': 1 })
      await traffic.save()
      assert.equal((await history(client)).total, 0)
    },
  },
  'routes.fast_path': {
    does: 'turned on takes rules that leave it open to the fast path, and off it again',
    test: async (client, { kernel }) => {
      await madeRoute(client)
      const isFast = () => kernel.rulesets.rules.get(1)?.is_fast_path === true
      assert.equal(isFast(), false)
      await set(client, { 'routes.fast_path': 'on' })
      await eventually(isFast)
      await set(client, { 'routes.fast_path': 'off' })
      await eventually(() => !isFast())
    },
  },
  'routes.auto_enable_ip_forward': {
    does: 'turned off leaves IP forwarding as it is, and says what a rule lacks',
    test: async (client) => {
      await set(client, { 'routes.auto_enable_ip_forward': false })
      assert.ok(warningCodes(await createRoute(client)).includes('IP_FORWARDING_OFF'))
      assert.equal((await forwarding(client)).body.forwarding.ipv4_forwarding, false)
      await set(client, { 'routes.auto_enable_ip_forward': true })
      await madeRoute(client, { bind_port: 444 })
      assert.equal((await forwarding(client)).body.forwarding.ipv4_forwarding, true)
    },
  },
  'routes.dns_servers': {
    does: 'resolve the host names of destinations',
    test: async (client) => {
      const dns = await startDnsServer()
      try {
        await dns.set({ 'web.test': ['10.9.0.7'] })
        await set(client, { 'routes.dns_servers': [dns.address] })
        const { destinations } = await madeRoute(client, {
          destination_address: undefined,
          destination_port: undefined,
          destinations: [{ hostname: 'web.test', port: 80 }],
        })
        assert.equal(destinations[0]?.address, '10.9.0.7')
      } finally {
        await dns.stop()
      }
    },
  },
  'routes.warn_conntrack_usage_percent': {
    does: 'is the use of the table of connections that is warned of',
    test: async (client, { kernel }) => {
      kernel.forwarding.conntrack = { count: 60, max: 100 }
      Object.assign(kernel.forwarding.live, { conntrack_acct: true, conntrack_timestamp: false })
      assert.deepEqual(warningCodes(await forwarding(client)), [])
      await set(client, { 'routes.warn_conntrack_usage_percent': 50 })
      assert.deepEqual(warningCodes(await forwarding(client)), ['CONNTRACK_NEARLY_FULL'])
    },
  },
})
