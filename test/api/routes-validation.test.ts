// What a rule is refused for, each with its field and code, all at once (reference.md, Forwarding rules; decisions.md,
// section 4, F2 to F9).
import assert from 'node:assert/strict'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, listRoutes, madeRoute, patchRoute, previewRoute } from './support/routes.ts'
import { codesOf } from './support/tunnels.ts'

describe('A relay rule that is refused', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(async () => {
    assert.deepEqual([panel.kernel.changes, (await listRoutes(client)).body.total], [[], 0])
    await panel.close()
  })

  const cases: [string, object, Record<string, string>][] = [
    ['a title of blanks', { route_rule_title: '  ' }, { route_rule_title: 'INVALID_ROUTE_TITLE' }],
    ['a title of 101 characters', { route_rule_title: 'x'.repeat(101) }, { route_rule_title: 'INVALID_ROUTE_TITLE' }],
    ['a protocol that is none', { route_protocol_id: 11 }, { route_protocol_id: 'INVALID_ROUTE_PROTOCOL' }],
    ['a NAT mode that is none', { nat_mode_id: 0 }, { nat_mode_id: 'INVALID_NAT_MODE' }],
    ['a balance that is none', { load_balance_mode_id: 50 }, { load_balance_mode_id: 'INVALID_LOAD_BALANCE_MODE' }],
    [
      'no balance over two destinations',
      {
        destination_address: undefined,
        destination_port: undefined,
        load_balance_mode_id: 10,
        destinations: [
          { address: '10.9.0.2', port: 1 },
          { address: '10.9.0.3', port: 1 },
        ],
      },
      { load_balance_mode_id: 'INVALID_LOAD_BALANCE_MODE' },
    ],
    ['a family that is none', { address_family_id: 30 }, { address_family_id: 'INVALID_ADDRESS_FAMILY' }],
    [
      'a family that the bind address is not of',
      { address_family_id: 20 },
      { address_family_id: 'INVALID_ADDRESS_FAMILY' },
    ],
    ['a bind address that is none', { bind_address: '192.0.2.256' }, { bind_address: 'INVALID_BIND_ADDRESS' }],
    ['a loopback bind address', { bind_address: '127.0.0.1' }, { bind_address: 'INVALID_BIND_ADDRESS' }],
    ['a multicast bind address', { bind_address: '224.0.0.1' }, { bind_address: 'INVALID_BIND_ADDRESS' }],
    ['an unparseable destination', { destination_address: 'example' }, { destination_address: 'INVALID_DESTINATION' }],
    ['no destination', { destination_address: undefined }, { destination_address: 'INVALID_DESTINATION' }],
    ['"any" as a destination', { destination_address: '0.0.0.0' }, { destination_address: 'INVALID_DESTINATION' }],
    [
      'a link-local IPv6 destination',
      { bind_address: '2001:db8::1', destination_address: 'fe80::1' },
      { destination_address: 'INVALID_DESTINATION' },
    ],
    [
      'a destination of the other family',
      { destination_address: '2001:db8::2' },
      { destination_address: 'ADDRESS_FAMILY_MISMATCH' },
    ],
    [
      'destinations none of which is active',
      {
        destination_address: undefined,
        destination_port: undefined,
        destinations: [
          { address: '10.9.0.2', port: 1, is_enabled: false },
          { address: '10.9.0.3', port: 1, weight: 0 },
        ],
      },
      { destinations: 'INVALID_DESTINATION' },
    ],
    [
      'the same destination twice',
      {
        destination_address: undefined,
        destination_port: undefined,
        destinations: [
          { address: '10.9.0.2', port: 1 },
          { address: '10.9.0.2', port: 1 },
        ],
      },
      { 'destinations.1.address': 'INVALID_DESTINATION' },
    ],
    [
      'a destination beside a list whose first it is not',
      { destinations: [{ address: '10.9.0.9', port: 1 }] },
      { destination_address: 'INVALID_DESTINATION' },
    ],
    [
      'a port of 0',
      { bind_port: 0, destination_port: 65536 },
      { bind_port: 'INVALID_PORT', destination_port: 'INVALID_PORT' },
    ],
    ['no bind port', { bind_port: undefined }, { bind_port: 'INVALID_PORT' }],
    [
      'a range that ends before it begins',
      { bind_port: 500, bind_port_range_end: 499 },
      { bind_port_range_end: 'INVALID_PORT_RANGE' },
    ],
    [
      'a range past 65535',
      { bind_port: 500, bind_port_range_end: 600, destination_port: 65500 },
      { destination_port: 'INVALID_PORT_RANGE' },
    ],
    [
      'ranges of unequal width',
      { bind_port: 500, bind_port_range_end: 600, destination_port: 500, destination_port_range_end: 599 },
      { destination_port_range_end: 'PORT_RANGE_WIDTH_MISMATCH' },
    ],
    [
      'a range to which one port is bound',
      { destination_port: 500, destination_port_range_end: 600 },
      { destination_port_range_end: 'PORT_RANGE_WIDTH_MISMATCH' },
    ],
    [
      'a range that is shifted over more ports than the kernel holds',
      {
        bind_port: 10_000,
        bind_port_range_end: 50_000,
        destination_address: undefined,
        destination_port: undefined,
        destinations: [
          { address: '10.9.0.2', port: 10_001 },
          { address: '10.9.0.3', port: 10_001 },
        ],
      },
      { bind_port_range_end: 'INVALID_PORT_RANGE' },
    ],
    ['SNAT without its address', { nat_mode_id: 20 }, { snat_address: 'SNAT_ADDRESS_REQUIRED' }],
    ['SNAT to what is no address', { nat_mode_id: 20, snat_address: 'me' }, { snat_address: 'INVALID_SNAT_ADDRESS' }],
    [
      'SNAT to an address that this server does not have',
      { nat_mode_id: 20, snat_address: '203.0.113.5' },
      { snat_address: 'SNAT_ADDRESS_NOT_ON_HOST' },
    ],
    [
      'SNAT to the other family',
      { nat_mode_id: 20, snat_address: '2001:db8::1' },
      { snat_address: 'ADDRESS_FAMILY_MISMATCH' },
    ],
    ['an SNAT address that nothing uses', { snat_address: '192.0.2.1' }, { snat_address: 'SNAT_ADDRESS_UNUSED' }],
    ['a loopback destination', { destination_address: '127.0.0.1' }, { destination_address: 'LOOPBACK_DESTINATION' }],
    ['a malformed CIDR', { allowed_sources: [{ cidr: '10.0.0.0/33' }] }, { 'allowed_sources.0.cidr': 'INVALID_CIDR' }],
    [
      'an allowed source of the other family',
      { allowed_sources: [{ cidr: 'fd00::/8' }] },
      { 'allowed_sources.0.cidr': 'ADDRESS_FAMILY_MISMATCH' },
    ],
    [
      'an allowed source named twice',
      { allowed_sources: [{ cidr: '10.0.0.0/8' }, { cidr: '10.9.9.9/8' }] },
      { 'allowed_sources.1.cidr': 'INVALID_CIDR' },
    ],
    [
      'a weight above 1000',
      {
        destination_address: undefined,
        destination_port: undefined,
        destinations: [{ address: '10.9.0.2', port: 1, weight: 1001 }],
      },
      { 'destinations.0.weight': 'INVALID_WEIGHT' },
    ],
    [
      'limits of 0',
      { max_connections_per_source: 0, connection_rate_limit: 0 },
      { max_connections_per_source: 'INVALID_CONNECTION_LIMIT', connection_rate_limit: 'INVALID_CONNECTION_LIMIT' },
    ],
    ['a mark of 0', { fwmark: 0 }, { fwmark: 'INVALID_FWMARK' }],
    ['an interface that is not there', { bind_interface: 'eth9' }, { bind_interface: 'INTERFACE_NOT_FOUND' }],
    ['a tunnel that is not there', { tunnel_id: 9 }, { tunnel_id: 'UNKNOWN_TUNNEL' }],
    [
      'its own listener as destination',
      { destination_address: '192.0.2.1', destination_port: 443 },
      { destination_address: 'SELF_FORWARD_LOOP' },
    ],
    [
      'its own listener on every address',
      { bind_address: '0.0.0.0', destination_address: '192.0.2.1', destination_port: 443, force: true },
      { destination_address: 'SELF_FORWARD_LOOP' },
    ],
    [
      'its own range',
      { bind_port: 400, bind_port_range_end: 450, destination_address: '192.0.2.1', destination_port: 430 },
      { destination_address: 'SELF_FORWARD_LOOP' },
    ],
    ['a field that there is not', { colour: 'red' }, { colour: 'UNKNOWN_FIELD' }],
    ['a number as text', { bind_port: '443' }, { bind_port: 'INVALID_PORT' }],
  ]
  for (const [what, body, codes] of cases) {
    it(`for ${what}: 422 that names the field, and the kernel is untouched`, async () => {
      const reply = await createRoute(client, body)
      assert.deepEqual([reply.status, reply.error?.code], [422, 'VALIDATION_FAILED'], reply.text)
      assert.deepEqual(codesOf(reply), codes)
      assert.deepEqual(codesOf(await previewRoute(client, body)), codes)
    })
  }

  it('gets all its problems at once, the first by the order of the fields', async () => {
    const reply = await createRoute(client, {
      destination_address: 'x',
      nat_mode_id: 20,
      bind_interface: 'eth9',
      allowed_sources: [{ cidr: 'y' }],
      tunnel_id: 5,
      fwmark: 0,
    })
    assert.deepEqual(Object.keys(codesOf(reply)).sort(), [
      'allowed_sources.0.cidr',
      'bind_interface',
      'destination_address',
      'fwmark',
      'snat_address',
      'tunnel_id',
    ])
    assert.equal(reply.error.field, 'bind_interface')
    for (const { field, message } of reply.error.details['fields'] as { field: string; message: string }[])
      assert.equal(reply.error.details[field], message)
  })

  it('has at most 64 destinations and 256 allowed sources', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ address: `10.8.0.${at + 1}`, port: 80 }))
    assert.deepEqual(
      codesOf(
        await createRoute(client, {
          destination_address: undefined,
          destination_port: undefined,
          destinations: many(65),
        }),
      ),
      { destinations: 'INVALID_DESTINATION' },
    )
    const sources = Array.from({ length: 257 }, (_, at) => ({ cidr: `10.${at % 256}.${at >> 8}.0/24` }))
    assert.deepEqual(codesOf(await createRoute(client, { allowed_sources: sources })), {
      allowed_sources: 'INVALID_CIDR',
    })
  })
})

describe('The ports that no rule takes', () => {
  let panel: TestPanel
  let client: Client
  let port: number
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    port = Number(new URL(panel.base).port)
  })
  afterEach(() => panel.close())

  const refused = ({ status, error }: Reply<unknown>): void => {
    assert.deepEqual([status, error.code, error.field], [409, 'PROTECTED_PORT', 'bind_port'])
    assert.match(error.message, /panel/)
    assert.deepEqual(panel.kernel.changes, [])
  }

  it("are the panel's own, also within a range, on any address, disabled, and with force: 409 whose message mentions the panel", async () => {
    const listening = { protocol: 'tcp', address: '127.0.0.1', port, process: 'node', is_sshd: false } as const
    panel.kernel.hostListeners = [listening, { ...listening, address: '0.0.0.0' }]
    for (const body of [
      {},
      { force: true },
      { bind_address: '0.0.0.0' },
      { route_protocol_id: 30 },
      { is_enabled: false },
    ])
      refused(await createRoute(client, { bind_port: port, ...body }))
    refused(await createRoute(client, { bind_port: port - 1, bind_port_range_end: port + 1, force: true }))
    refused((await previewRoute(client, { bind_port: port, force: true })) as Reply<unknown>)
  })

  it('and those that sshd listens on, whichever they are', async () => {
    panel.kernel.hostListeners = [{ protocol: 'tcp', address: '0.0.0.0', port: 2222, process: 'sshd', is_sshd: true }]
    refused(await createRoute(client, { bind_port: 2222, force: true }))
    refused(await createRoute(client, { bind_port: 2000, bind_port_range_end: 3000, force: true }))
    assert.equal((await createRoute(client, { bind_port: 22 })).status, 201)
  })

  it('are free for UDP, which neither speaks', async () => {
    assert.equal((await createRoute(client, { bind_port: port, route_protocol_id: 20 })).status, 201)
  })

  it('cannot be taken by a change either', async () => {
    await madeRoute(client, { route_protocol_id: 20, bind_port: port })
    const { status, error } = await patchRoute(client, 1, { route_protocol_id: 30 })
    assert.deepEqual([status, error.code], [409, 'PROTECTED_PORT'])
  })
})
