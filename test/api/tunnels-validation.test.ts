// Wrong requests for a tunnel: each field its own message, all at once, the first of them in "field", and never a
// change of the host.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { repetitions } from '../support/counts.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createTunnel, SMALLEST } from './support/tunnels.ts'

const BODIES = repetitions('PANEL_TUNNEL_BODIES')
const FIELDS = Object.keys(CreateTunnelBody.properties)
const TEXTS = [7, null, true, ['x'], {}]
const number = (code: string, ...values: unknown[]) => ({ code, values: ['1', true, [], {}, 1.5, -1, ...values] })
const flag = { code: 'INVALID_VALUE', values: ['true', 1, [], {}] }
const monitor = (...values: unknown[]) => ({ code: 'INVALID_MONITOR_OVERRIDE', values: ['1', true, [], -1, ...values] })
const text = { code: 'INVALID_VALUE', values: [...TEXTS, 'a\u0000b', 'x'.repeat(2001)] }

/** What is wrong for each field, alone or with others. A field that is missing here fails the test below. */
const WRONG: Record<string, { code: string; values: unknown[] }> = {
  tunnel_type_id: { code: 'INVALID_TUNNEL_TYPE', values: [0, 11, '10', null, [10]] },
  interface_name: {
    code: 'INVALID_INTERFACE_NAME',
    values: [...TEXTS, '', 'a b', 'a/b', '-a', '.', 'x'.repeat(16), 'ä', 'a\n'],
  },
  tunnel_side_id: { code: 'INVALID_TUNNEL_SIDE', values: [0, 30, 'A', null] },
  tunnel_number: number('INVALID_TUNNEL_NUMBER', 2 ** 24, 256),
  local_endpoint: {
    code: 'INVALID_ENDPOINT',
    values: [
      ...TEXTS.filter((one) => one !== null),
      '',
      'host',
      '1.2.3.256',
      '127.0.0.1',
      '0.0.0.0',
      '::',
      'x'.repeat(300),
    ],
  },
  is_local_endpoint_automatic: flag,
  remote_hostname: {
    code: 'INVALID_HOSTNAME',
    values: ['', '-far.test', 'far..test', '198.51.100.7', 7, ['far.test']],
  },
  remote_endpoint: {
    code: 'INVALID_ENDPOINT',
    values: [...TEXTS, '', 'host', '01.2.3.4', '255.255.255.255', '239.0.0.1', 'fe80::1%eth0'],
  },
  bind_device: { code: 'INVALID_VALUE', values: [7, true, [], '', 'a b', 'x'.repeat(16)] },
  mtu: number('INVALID_MTU', 575, 9217, 1e300, null),
  ttl: number('INVALID_TTL', 256, null),
  hop_limit: number('INVALID_TTL', 256, 5),
  tos: { code: 'INVALID_TOS', values: [null, true, [], 'high', '0x100', '256', 256, -1, 1.5] },
  traffic_class: { code: 'INVALID_TOS', values: [true, [], 'high', '0x100', '256', 256, -1, 1.5, 8] },
  ikey: number('INVALID_GRE_KEY', 2 ** 32),
  okey: number('INVALID_GRE_KEY', 2 ** 32),
  has_input_checksum: flag,
  has_output_checksum: flag,
  has_input_sequence: flag,
  has_output_sequence: flag,
  is_path_mtu_discovery: flag,
  is_ignore_df: flag,
  encap_limit: number('INVALID_VALUE', 256, 4),
  flow_label: number('INVALID_VALUE', 2 ** 20, 4),
  fwmark: number('INVALID_FWMARK', 0, 2 ** 32),
  tx_queue_length: number('INVALID_QUEUE_LENGTH', 1_000_001, null),
  is_multicast: flag,
  persistence_type_id: { code: 'INVALID_PERSISTENCE_TYPE', values: [0, '10', null, 40] },
  is_enabled: { code: 'INVALID_VALUE', values: ['true', 1, null, []] },
  is_answered_through: { code: 'INVALID_VALUE', values: ['true', 1, null, []] },
  address_pool_id: number('UNKNOWN_ADDRESS_POOL', 0, 11, 2 ** 60),
  addresses: {
    code: 'INVALID_ADDRESS',
    values: [null, 'x', {}, Array(65).fill({ address: '10.9.0.1', prefix_length: 32 })],
  },
  display_name: { code: 'INVALID_VALUE', values: [...TEXTS, 'a\nb', 'x'.repeat(101)] },
  note: text,
  tags: { code: 'INVALID_VALUE', values: [null, 'x', {}, Array(33).fill('x')] },
  is_monitor_enabled: flag,
  is_self_heal: flag,
  monitor_interval_seconds: monitor(0.1, 3601),
  monitor_timeout_seconds: monitor(0, 3601),
  monitor_packet_size: monitor(15, 65508, 20.5),
  monitor_window_size: monitor(0, 10_001, 1.5),
  monitor_degraded_loss_percent: monitor(101),
  monitor_down_loss_percent: monitor(101, 19),
  monitor_degraded_rtt_ms: monitor(0),
  monitor_state_change_samples: monitor(0, 101, 1.5),
  keepalive_interval_seconds: { code: 'INVALID_KEEPALIVE', values: [0.1, 3601, '1', true] },
  keepalive_packet_size: { code: 'INVALID_KEEPALIVE', values: [-1, 65508, 1.5, null] },
  monitor_target: { code: 'INVALID_MONITOR_OVERRIDE', values: [7, true, '', 'host', '1.2.3'] },
  force: flag,
  i_understand_i_may_lose_access: flag,
}

/** Taken off and answered for by the machinery, before the body is looked at. */
const ELSEWHERE = ['idempotency_key']

const wrongValue = (field: string): fc.Arbitrary<unknown> => fc.constantFrom(...(WRONG[field]?.values ?? []))

describe('A wrong request for a tunnel', () => {
  let panel: TestPanel
  let client: Client
  before(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => assert.deepEqual(panel.kernel.changes, []))
  after(() => panel.close())

  for (const field of FIELDS.filter((name) => !ELSEWHERE.includes(name))) {
    it(`with a wrong ${field} is refused with 422, its own code and its own message`, async () => {
      const { code, values } = WRONG[field] ?? assert.fail(`no wrong value of ${field} is tried`)
      for (const value of values) {
        const { status, error } = await createTunnel(client, { [field]: value })
        const title = JSON.stringify({ [field]: value }).slice(0, 80)
        assert.equal(status, 422, title)
        assert.equal(error.code, 'VALIDATION_FAILED')
        assert.equal(error.field, field, title)
        const [first] = error.details['fields'] as { field: string; code: string; message: string }[]
        assert.equal(first?.code, code, title)
        assert.equal(error.details[field], first?.message)
        assert.match(first?.message ?? '', /^\S.{10,}\.$/, title)
      }
    })
  }

  it('gets every wrong field at once, and "field" is the first of them in the order of the schema', async () => {
    const several = fc.uniqueArray(fc.constantFrom(...Object.keys(WRONG)), { minLength: 1, maxLength: 12 })
    const bodies = fc.sample(
      several.chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field, wrongValue(field)])))),
      300,
    )
    for (const body of bodies) {
      const { status, error } = await createTunnel(client, body)
      const fields = (error.details['fields'] as { field: string }[]).map(({ field }) => field)
      const missed = Object.keys(body).filter((field) => !fields.includes(field) && !excused(field, body))
      assert.deepEqual([status, missed], [422, []], JSON.stringify(body).slice(0, 300))
      assert.equal(
        error.field,
        FIELDS.find((field) => fields.includes(field)),
        JSON.stringify(body).slice(0, 300),
      )
      for (const field of fields) assert.equal(typeof error.details[field], 'string')
    }
  })

  it('with a field that does not exist, or without what is required, is refused by that field', async () => {
    const { error } = await createTunnel(client, { locale_endpoint: 'x' })
    assert.deepEqual([error.field, typeof error.details['locale_endpoint']], ['locale_endpoint', 'string'])
    const empty = await client.post('/tunnels', {})
    assert.deepEqual(
      [empty.status, empty.error.field, Object.keys(empty.error.details)],
      [422, 'local_endpoint', ['remote_endpoint', 'local_endpoint', 'fields']],
    )
  })

  it('with wrong addresses gets which of them, and what about it', async () => {
    const addresses = [
      { address: '10.9.0.1', prefix_length: 30 },
      { address: 'host', prefix_length: 30 },
      { address: '10.9.1.1' },
      { address: '10.9.2.1', prefix_length: 30, color: 'red' },
    ]
    const byShape = await createTunnel(client, { addresses })
    assert.deepEqual(
      (byShape.error.details['fields'] as { field: string }[]).map(({ field }) => field),
      ['addresses.1.address', 'addresses.2.prefix_length', 'addresses.3.color'],
    )
    const byMeaning = await createTunnel(client, { addresses: addresses.slice(0, 2) })
    assert.equal(byMeaning.error.field, 'addresses.1.address')
  })

  it('is refused the same by the preview', async () => {
    for (const field of Object.keys(WRONG)) {
      const body = { ...SMALLEST, [field]: WRONG[field]?.values[0] }
      const [made, shown] = [await client.post('/tunnels', body), await client.post('/tunnels/preview', body)]
      assert.deepEqual([shown.status, shown.body], [made.status, made.body], field)
    }
  })

  it(`${BODIES} times at random never reaches the kernel and never gets 500`, async () => {
    const plausible = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.ipV4(),
      fc.ipV6(),
      fc.integer(),
      fc.constantFrom(null, true, 0, 10, '0x10', 'inherit'),
      fc.array(
        fc.record({
          address: fc.oneof(fc.ipV4(), fc.string()),
          prefix_length: fc.integer({ min: -1, max: 130 }),
          peer_address: fc.option(fc.ipV4()),
        }),
        { maxLength: 3 },
      ),
    )
    const anyFields = fc.dictionary(
      fc.oneof(fc.constantFrom(...FIELDS), fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString')),
      plausible,
      { maxKeys: 15 },
    )
    const oneIsWrong = fc
      .constantFrom(...Object.keys(WRONG))
      .chain((field) => fc.tuple(anyFields, wrongValue(field)).map(([body, value]) => ({ ...body, [field]: value })))
    const object = oneIsWrong.map((body) => JSON.stringify({ ...SMALLEST, ...body }))
    const noObject = fc.oneof(
      fc.string(),
      fc
        .jsonValue()
        .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value))
        .map((value) => JSON.stringify(value)),
    )
    const bodies = fc.sample(
      fc.oneof({ weight: 19, arbitrary: object }, { weight: 1, arbitrary: noObject.filter((raw) => raw !== '') }),
      BODIES,
    )
    for (let at = 0; at < bodies.length; at += 50) {
      const replies = await Promise.all(
        bodies.slice(at, at + 50).map(async (raw) => ({
          raw,
          ...(await client.post('/tunnels', undefined, { raw, headers: { 'Content-Type': 'application/json' } })),
        })),
      )
      for (const { status, raw, text: answer } of replies)
        assert([400, 422].includes(status), `${status} ${answer.slice(0, 300)} for ${raw.slice(0, 500)}`)
    }
    assert.deepEqual(panel.kernel.changes, [])
  })
})

/** What one field means can hang on another that is wrong too: then the one is enough. */
function excused(field: string, body: Record<string, unknown>): boolean {
  const hangsOn: Record<string, string[]> = {
    hop_limit: ['tunnel_type_id'],
    traffic_class: ['tunnel_type_id'],
    encap_limit: ['tunnel_type_id'],
    flow_label: ['tunnel_type_id'],
    tunnel_number: ['addresses', 'address_pool_id', 'tunnel_type_id', 'interface_name'],
    monitor_down_loss_percent: ['monitor_degraded_loss_percent'],
  }
  return (hangsOn[field] ?? []).some((other) => other in body)
}
