// Panels at random, for the laws of a backup: settings, pools, tunnels and relay rules, copied and put into an order.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { U32_MAX } from '@panel/shared/schema.ts'
import { DEFAULTS } from '@panel/web-daemon/features/settings/definitions.ts'
import type { Client } from './client.ts'

const word = fc.stringMatching(/^[a-z][a-z ]{0,10}[a-z]$/)
/** A request with it may be refused; one that is taken comes back as it is. */
const text = fc.oneof(word, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 99 }), fc.constant('x'.repeat(100)))
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const key = fc.integer({ min: 0, max: 2 ** 32 - 1 })

/** `at` keeps two of them from having the same endpoints, addresses or ports. */
const tunnel = (at: number) => {
  const common = {
    display_name: some(text),
    note: some(text),
    tags: some(fc.array(word, { maxLength: 3 })),
    is_enabled: fc.boolean(),
    is_monitor_enabled: fc.option(fc.boolean()),
    is_self_heal: fc.option(fc.boolean()),
    monitor_interval_seconds: fc.option(fc.constantFrom(0.5, 2)),
    monitor_target: fc.option(fc.constantFrom('192.0.2.9', 'fd00::9')),
    tunnel_side_id: fc.constantFrom(10, 20),
    persistence_type_id: fc.constantFrom(10, 30),
    ikey: some(fc.option(key)),
    okey: some(fc.option(key)),
    mtu: some(fc.integer({ min: 1280, max: 1450 })),
    ttl: fc.integer({ min: 0, max: 255 }),
    tos: fc.constantFrom('inherit', 0, 16, '0x20'),
    has_input_checksum: some(fc.boolean()),
    has_output_sequence: some(fc.boolean()),
    fwmark: fc.option(fc.integer({ min: 1, max: 9 })),
    tx_queue_length: some(fc.integer({ min: 0, max: 9999 })),
    is_multicast: fc.option(fc.boolean()),
    addresses: some(
      fc.constantFrom(
        [{ address: `10.50.${at}.1`, prefix_length: 24 }],
        [
          { address: `fd50:${at}::1`, prefix_length: 64 },
          { address: `10.51.${at}.1`, peer_address: `10.51.${at}.2`, prefix_length: 30, is_primary: true },
        ],
      ),
    ),
  }
  const overIpv4 = fc.record({
    ...common,
    tunnel_type_id: fc.constantFrom(10, 20),
    local_endpoint: fc.constant('192.0.2.1'),
    remote_endpoint: fc.constant(`198.51.100.${at + 1}`),
    is_path_mtu_discovery: some(fc.boolean()),
  })
  const overIpv6 = fc.record({
    ...common,
    tunnel_type_id: fc.constantFrom(30, 40),
    local_endpoint: fc.constant('2001:db8::1'),
    remote_endpoint: fc.constant(`2001:db8::1:${at}`),
    hop_limit: fc.option(fc.integer({ min: 0, max: 255 })),
    traffic_class: fc.option(fc.constantFrom('inherit', 7)),
    encap_limit: fc.option(fc.integer({ min: 0, max: 255 })),
    flow_label: fc.integer({ min: 0, max: 0xfffff }),
  })
  return fc.oneof(overIpv4, overIpv6)
}

const rule = (at: number) =>
  fc.record({
    route_rule_title: some(text),
    description: some(text),
    bind_address: fc.constantFrom('0.0.0.0', '192.0.2.1'),
    bind_port: fc.constant(10_000 + 100 * at),
    bind_port_range_end: fc.option(fc.constant(10_005 + 100 * at)),
    route_protocol_id: fc.constantFrom(10, 20, 30),
    nat_mode_id: fc.constantFrom(10, 30),
    destinations: fc.uniqueArray(
      fc.record({
        address: fc.constantFrom('10.9.0.2', '10.9.0.3', '10.9.0.4'),
        port: fc.integer({ min: 1, max: 60_000 }),
        weight: some(fc.integer({ min: 1, max: 1000 })),
      }),
      { minLength: 1, maxLength: 3, selector: ({ address, port }) => `${address} ${port}` },
    ),
    allowed_sources: fc.constantFrom(
      [],
      [
        { cidr: '203.0.113.0/24', description: 'x' },
        { cidr: '198.51.100.1', description: '' },
      ],
    ),
    is_enabled: fc.boolean(),
    is_clamp_mss_to_pmtu: fc.boolean(),
    is_logging_enabled: fc.boolean(),
    is_self_heal: fc.option(fc.boolean()),
    is_fast_path: fc.option(fc.boolean()),
    fwmark: fc.option(fc.integer({ min: 1, max: 9 })),
    connection_rate_limit: fc.option(fc.integer({ min: 1, max: 99 })),
    tunnel_id: fc.constantFrom(null, 1, 2),
    tags: fc.array(word, { maxLength: 2 }),
    sort_order: some(fc.constantFrom(0, 10, U32_MAX - 5, U32_MAX)),
  })

const settings = fc.record(
  {
    'display.theme': fc.constantFrom('dark', 'light'),
    'tunnel.default_mtu': fc.integer({ min: 1280, max: 1400 }),
    'tunnel.naming_template': fc.constantFrom('gre-{side}-{number}', 't{number}{side}'),
    'keepalive.mode': fc.constantFrom('monitor_only', 'systemd_unit'),
    'system.ignored_interfaces': fc.constantFrom([], ['x0', 'y0']),
    'monitor.degraded_rtt_ms': fc.constantFrom(null, 5),
    'addressing.default_pool_id': fc.constantFrom(null, 20),
  },
  { requiredKeys: [] },
)
const pool = (at: number) =>
  fc.record({
    address_pool_title: word,
    cidr: fc.constant(`10.${100 + at}.0.0/16`),
    prefix_length: fc.constantFrom(24, 30, 31),
    is_enabled: fc.boolean(),
    description: word,
  })
const upTo = <T>(count: number, of: (at: number) => fc.Arbitrary<T>) =>
  fc.tuple(...Array.from({ length: count }, (_, at) => fc.option(of(at), { nil: undefined })))
export const panels = fc.record({
  settings,
  pools: upTo(2, pool),
  tunnels: upTo(4, tunnel),
  rules: upTo(4, rule),
  copied: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 }),
  order: fc.shuffledSubarray([1, 2, 3, 4, 5]),
})

type Wanted = typeof panels extends fc.Arbitrary<infer T> ? T : never

export async function fill(client: Client, wanted: Wanted): Promise<void> {
  const { settings: values, pools, tunnels, rules, copied, order } = wanted
  if (Object.keys(values).length > 0)
    assert.equal((await client.put('/settings', { ...DEFAULTS, ...values })).status, 200)
  for (const body of pools) if (body) assert.equal((await client.post('/pools', body)).status, 201)
  let made = 0
  for (const body of tunnels) if (body) made += Number(await isDone(client, '/tunnels', body))
  let ruled = 0
  const known = (id: number | null): number | null => ((id ?? 0) > made ? null : id)
  for (const body of rules)
    if (body) ruled += Number(await isDone(client, '/routes', { ...body, tunnel_id: known(body.tunnel_id) }))
  for (const id of copied) ruled += Number(await isDone(client, `/routes/${id}/duplicate`, {}))
  const route_rule_ids = order.filter((id) => id <= ruled)
  if (route_rule_ids.length > 0) assert.equal(await isDone(client, '/routes/reorder', { route_rule_ids }), true)
  for (const body of rules) if (body) await isDone(client, '/routes/preview', { ...body, bind_port: 9 })
}

/** Whatever was accepted before it, a request is carried out, or refused for a reason of its own. */
async function isDone(client: Client, path: string, body: object): Promise<boolean> {
  const { status, text } = await client.post(path, body)
  assert.ok(status < 300 || status === 422 || status === 404, `${path} answered ${status}: ${text}`)
  return status < 300
}
