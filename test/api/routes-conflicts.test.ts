// Rules that want what another rule or a process has, and what is only warned of (reference.md, Forwarding rules;
// decisions.md, section 4, F2 to F9).
import assert from 'node:assert/strict'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, createRoute, madeRoute, patchRoute, previewRoute, warningCodes } from './support/routes.ts'
import { codesOf } from './support/tunnels.ts'

describe('Rules and processes on the same port', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('an identical listener is refused: ROUTE_PORT_CONFLICT that names the rule, even with force', async () => {
    await madeRoute(client, {
      route_rule_title: 'First',
      allowed_sources: [{ cidr: '10.0.0.0/8' }, { cidr: '203.0.113.0/24' }],
    })
    const reply = await createRoute(client, {
      force: true,
      destination_address: '10.9.0.99',
      allowed_sources: [{ cidr: '203.0.113.0/24' }, { cidr: '10.0.0.0/8' }],
    })
    assert.deepEqual([reply.status, codesOf(reply)], [422, { bind_port: 'ROUTE_PORT_CONFLICT' }])
    assert.match(reply.error.message, /First/)
  })

  it('a partial overlap is accepted with a warning that names the rule that wins', async () => {
    await madeRoute(client, { route_rule_title: 'First' })
    const overlapping: object[] = [
      { bind_address: '0.0.0.0' },
      { bind_port: 440, bind_port_range_end: 450 },
      { allowed_sources: [{ cidr: '10.0.0.0/8' }] },
      { route_protocol_id: 30 },
      { bind_interface: 'eth0' },
    ]
    for (const body of overlapping) {
      const { status, body: answer, text } = await previewRoute(client, body)
      assert.equal(status, 200, text)
      const found = answer.warnings.find(({ code }) => code === 'ROUTE_OVERLAPS_RULE')
      assert.match(found?.message ?? '', /First \(1\) stands first and gets them/, JSON.stringify(body))
    }
    const first = (await previewRoute(client, { bind_address: '0.0.0.0', sort_order: 0 })).body.warnings.find(
      ({ code }) => code === 'ROUTE_OVERLAPS_RULE',
    )
    assert.match(first?.message ?? '', /this rule stands first/)
  })

  it('what cannot meet does not conflict, and a disabled rule never does', async () => {
    await madeRoute(client, { bind_interface: 'lo', allowed_sources: [{ cidr: '10.0.0.0/8' }] })
    const apart: object[] = [
      { route_protocol_id: 20 },
      { bind_address: '192.0.2.9' },
      { bind_port: 444 },
      { bind_interface: 'eth0' },
      { allowed_sources: [{ cidr: '203.0.113.0/24' }] },
      { bind_address: '::', destination_address: '2001:db8::9' },
    ]
    for (const body of apart)
      assert(!warningCodes(await previewRoute(client, body)).includes('ROUTE_OVERLAPS_RULE'), JSON.stringify(body))
    await actOnRoute(client, 1, 'disable')
    assert(!warningCodes(await createRoute(client)).includes('ROUTE_OVERLAPS_RULE'))
    assert.equal(
      (await createRoute(client, { bind_interface: 'lo', allowed_sources: [{ cidr: '10.0.0.0/8' }] })).status,
      201,
    )
  })

  it('a local process on the port is PORT_IN_USE that names it; with force a warning', async () => {
    panel.kernel.hostListeners = [{ protocol: 'tcp', address: '::', port: 443, process: 'nginx', is_sshd: false }]
    const reply = await createRoute(client)
    assert.deepEqual([reply.status, codesOf(reply)], [422, { bind_port: 'PORT_IN_USE' }])
    assert.match(reply.error.message, /nginx/)
    const forced = await createRoute(client, { force: true })
    assert.deepEqual([forced.status, warningCodes(forced).includes('PORT_IN_USE_FORCED')], [201, true])
  })

  it("a process that only the loopback reaches, another protocol, address or port is in nobody's way", async () => {
    const one = { protocol: 'tcp', address: '0.0.0.0', port: 443, process: 'x', is_sshd: false } as const
    panel.kernel.hostListeners = [
      { ...one, address: '127.0.0.1' },
      { ...one, address: '::1' },
      { ...one, protocol: 'udp' },
      { ...one, address: '192.0.2.99' },
      { ...one, port: 444 },
    ]
    assert.equal((await createRoute(client)).status, 201)
  })

  it('a duplicate title is refused whatever its capitals', async () => {
    await madeRoute(client, { route_rule_title: 'Übergang' })
    assert.deepEqual(codesOf(await createRoute(client, { bind_port: 2, route_rule_title: 'üBERGANG' })), {
      route_rule_title: 'ROUTE_TITLE_CONFLICT',
    })
  })
})

describe('What is worth a word about a rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('is whether the destination sees the client', async () => {
    assert(warningCodes(await previewRoute(client)).includes('NAT_HIDES_CLIENT_ADDRESS'))
    assert(warningCodes(await previewRoute(client, { nat_mode_id: 30 })).includes('NAT_PRESERVES_CLIENT_ADDRESS'))
  })

  it('is an address that no interface has, and a loopback destination that was forced', async () => {
    assert(warningCodes(await previewRoute(client, { bind_address: '203.0.113.9' })).includes('BIND_ADDRESS_NOT_FOUND'))
    assert(
      warningCodes(await previewRoute(client, { destination_address: '127.0.0.1', force: true })).includes(
        'LOOPBACK_DESTINATION_FORCED',
      ),
    )
  })

  it('is a disabled rule that would relay to itself, and enabling it is refused', async () => {
    const loop = { destination_address: '192.0.2.1', destination_port: 443 }
    const refusal = { 'destinations.0.address': 'SELF_FORWARD_LOOP' }
    const reply = await createRoute(client, { ...loop, is_enabled: false })
    assert.deepEqual([reply.status, warningCodes(reply).includes('SELF_FORWARD_LOOP')], [201, true])
    assert.deepEqual(codesOf(await actOnRoute(client, 1, 'enable')), refusal)
    assert.deepEqual(codesOf(await patchRoute(client, 1, { is_enabled: true })), refusal)
    assert.equal((await patchRoute(client, 1, { destination_port: 8443 })).status, 200)
    assert.equal((await actOnRoute(client, 1, 'enable')).status, 200)
  })

  it('is a tunnel without clamping', async () => {
    await client.post('/tunnels', { local_endpoint: '192.0.2.1', remote_endpoint: '198.51.100.7' })
    assert(
      warningCodes(await previewRoute(client, { tunnel_id: 1, is_clamp_mss_to_pmtu: false })).includes(
        'MSS_CLAMP_RECOMMENDED',
      ),
    )
    assert(!warningCodes(await previewRoute(client, { tunnel_id: 1 })).includes('MSS_CLAMP_RECOMMENDED'))
  })
})
