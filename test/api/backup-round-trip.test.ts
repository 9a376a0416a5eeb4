// Whatever a panel holds, its backup brings it back: as a property over random panels, and at size (reference.md,
// Backup document; decisions.md, W9, W12, W13).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { DEFAULTS } from '@panel/web-daemon/features/settings/definitions.ts'
import { became, exportOf, importInto, withoutIds } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel, listTunnels, removeAddress, SMALLEST } from './support/tunnels.ts'

const word = fc.stringMatching(/^[a-z][a-z ]{0,10}[a-z]$/)
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const key = fc.integer({ min: 0, max: 2 ** 32 - 1 })

/** `at` keeps two of them from having the same endpoints, addresses or ports. */
const tunnel = (at: number) => {
  const common = {
    display_name: some(word),
    note: some(word),
    tags: some(fc.array(word, { maxLength: 3 })),
    is_enabled: fc.boolean(),
    is_monitor_enabled: fc.option(fc.boolean()),
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
    route_rule_title: some(word.map((text) => `${text} ${at}`)),
    description: some(word),
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
    fwmark: fc.option(fc.integer({ min: 1, max: 9 })),
    connection_rate_limit: fc.option(fc.integer({ min: 1, max: 99 })),
    tunnel_id: fc.constantFrom(null, 1, 2),
    tags: fc.array(word, { maxLength: 2 }),
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
const panels = fc.record({ settings, pools: upTo(2, pool), tunnels: upTo(4, tunnel), rules: upTo(4, rule) })

describe('A backup', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('of any panel, imported into an empty one, exports as itself', async () => {
    await fc.assert(
      fc.asyncProperty(panels, async (wanted) => {
        const [first, second] = [await startPanel(), await startPanel()]
        try {
          const [source, target] = [await first.setUp(), await second.setUp()]
          await fill(source, wanted)
          const backup = await exportOf(source)
          const { body } = await importInto(target, backup)
          assert.deepEqual(
            body.actions.filter(({ error }) => error),
            [],
          )
          assert.deepEqual(withoutIds(await exportOf(target)), withoutIds(backup))
          assert.equal(second.kernel.picture(), first.kernel.picture())
        } finally {
          await Promise.all([first.close(), second.close()])
        }
      }),
      { numRuns: 15 },
    )
  }).timeout(60_000)

  it('brings back a tunnel without addresses as one without', async () => {
    await createTunnel(operator, { interface_name: 'bare', addresses: [{ address: '10.5.5.1', prefix_length: 30 }] })
    assert.equal(
      (await removeAddress(operator, 1, { address: '10.5.5.1', prefix_length: 30, force: true })).status,
      200,
    )
    const other = await startPanel()
    const client = await other.setUp()
    await importInto(client, await exportOf(operator))
    assert.deepEqual(
      (await listTunnels(client)).body.tunnels.map(({ interface_name, addresses }) => [interface_name, addresses]),
      [['bare', []]],
    )
    await other.close()
  })

  it('of 8 MiB is taken, and one byte more is not', async () => {
    const padded = (bytes: number): string => {
      const text = JSON.stringify({ dry_run: true, backup: { version: 1, note: '' } })
      return text.replace('"note":""', `"note":"${'x'.repeat(bytes - text.length)}"`)
    }
    const limit = 8 * 1024 * 1024
    assert.equal(
      (
        await operator.post('/backup/import', undefined, {
          raw: padded(limit),
          headers: { 'Content-Type': 'application/json' },
        })
      ).status,
      200,
    )
    const { status, error } = await operator.post('/backup/import', undefined, {
      raw: padded(limit + 1),
      headers: { 'Content-Type': 'application/json' },
    })
    assert.deepEqual([status, error.code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.equal((await operator.post('/tunnels/preview', undefined, { raw: padded(2 * 1024 * 1024) })).status, 413)
  })

  it('of several hundred tunnels keeps nobody else waiting for more than one of them', async () => {
    const count = 150
    const tunnels = Array.from({ length: count }, (_, at) => ({
      ...SMALLEST,
      interface_name: `t${at}`,
      remote_endpoint: `198.51.${Math.floor(at / 200)}.${(at % 200) + 1}`,
      addresses: [{ address: `10.60.${at}.1`, prefix_length: 30 }],
    }))
    let isDone = false
    const importing = importInto(operator, { version: 1, tunnels }).finally(() => (isDone = true))
    for (;;) if ((await listTunnels(operator)).body.total > 2) break
    assert.equal(
      (await createTunnel(operator, { interface_name: 'between', remote_endpoint: '198.51.100.250' })).status,
      201,
    )
    assert.equal(isDone, false)
    assert.equal((await importInto(operator, { version: 1 })).error.code, 'CONFLICT')
    assert.equal((await importInto(operator, { version: 1 }, { dry_run: true })).status, 200)
    assert.equal((await importing).body.counts.create, count)
  }).timeout(60_000)

  it('sent twice with one idempotency key is imported once', async () => {
    const backup = { version: 1, tunnels: [{ ...SMALLEST, interface_name: 'once' }] }
    const [one, other] = await Promise.all([
      importInto(operator, backup, { idempotency_key: 'k' }),
      importInto(operator, backup, { idempotency_key: 'k' }),
    ])
    assert.deepEqual([became(one, 'tunnel'), one.text], [{ once: 'create' }, other.text])
  })
})

type Wanted = typeof panels extends fc.Arbitrary<infer T> ? T : never

async function fill(client: Client, { settings: values, pools, tunnels, rules }: Wanted): Promise<void> {
  if (Object.keys(values).length > 0)
    assert.equal((await client.put('/settings', { ...DEFAULTS, ...values })).status, 200)
  for (const body of pools) if (body) assert.equal((await client.post('/pools', body)).status, 201)
  let made = 0
  for (const body of tunnels) if (body) made += Number((await client.post('/tunnels', body)).status === 201)
  for (const body of rules)
    if (body) await client.post('/routes', { ...body, tunnel_id: (body.tunnel_id ?? 0) > made ? null : body.tunnel_id })
}
