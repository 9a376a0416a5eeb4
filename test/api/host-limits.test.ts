// What is beyond the limits of the host is refused at its field, with the command that allows it (decisions.md, S30).
import assert from 'node:assert/strict'
import { DEFAULT_LIMITS, type Limits } from '@panel/shared/limits/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { AnalyzeTunnelAnswer } from '@panel/shared/api/diagnostics.ts'
import type { LimitsAnswer } from '@panel/shared/api/system.ts'
import type { Client, Reply } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { createRoute, patchRoute, previewRoute, SMALLEST_RULE } from './support/routes.ts'
import { codesOf, createTunnel, patchTunnel, previewTunnel } from './support/tunnels.ts'

describe('Beyond the limits of the host', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  const limit = (fields: Partial<Limits>): void => {
    panel.kernel.hostLimits = { ...DEFAULT_LIMITS, ...fields }
  }
  const refusedAt = (reply: Reply<unknown>, field: string, code: string, command: RegExp): void => {
    assert.equal(reply.status, 422, reply.text)
    assert.deepEqual(codesOf(reply), { [field]: code })
    const [first] = reply.error.details['fields'] as { message: string; params: Record<string, unknown> }[]
    assert.match(String(first?.params['command']), command)
    assert.match(first?.message ?? '', /\/etc\/tunnel-panel\/limits\.conf/)
  }

  for (const [what, body, field, code, command] of [
    [
      'a name of other software',
      { interface_name: 'wg7' },
      'interface_name',
      'INTERFACE_NAME_RESERVED',
      /^tunnel-panel allow name wg7$/,
    ],
    [
      'a far end that is forbidden',
      { remote_endpoint: '168.63.129.16' },
      'remote_endpoint',
      'BEYOND_LIMITS',
      /allow destination 168/,
    ],
    ['a mark of other software', { fwmark: 0x4_0000 }, 'fwmark', 'BEYOND_LIMITS', /allow mark 0x40000$/],
    [
      'more public addresses',
      { addresses: [{ address: '8.8.0.1', prefix_length: 24 }] },
      'addresses',
      'BEYOND_LIMITS',
      /allow tunnel_public_addresses 256$/,
    ],
  ] as const)
    it(`a tunnel with ${what} is refused at ${field}, in a preview too`, async () => {
      for (const send of [previewTunnel, createTunnel]) refusedAt(await send(operator, body), field, code, command)
      assert.deepEqual(panel.kernel.changes, [])
    })

  it('the name that the template makes is refused, and so is a sum at the pool that was chosen', async () => {
    limit({ reserved_names: ['gre-*'] })
    refusedAt(await createTunnel(operator), 'interface_name', 'INTERFACE_NAME_RESERVED', /allow name gre-a-1$/)
    limit({ tunnels: 0 })
    refusedAt(await createTunnel(operator), 'address_pool_id', 'BEYOND_LIMITS', /allow tunnels 1$/)
  })

  it('a tunnel keeps what it has when something else of it changes', async () => {
    const addresses = [{ address: '8.8.8.1', prefix_length: 28 }]
    const { body, text } = await createTunnel(operator, { addresses, fwmark: 9, force: true })
    assert.ok(body.tunnel, text)
    limit({ tunnel_public_addresses: 0, marks: [], reserved_names: ['*'] })
    const kept = await patchTunnel(operator, 1, { display_name: 'Bremen', mtu: 1300 })
    assert.equal(kept.status, 200, kept.text)
    refusedAt(await patchTunnel(operator, 1, { fwmark: 10 }), 'fwmark', 'BEYOND_LIMITS', /allow mark 0xa$/)
  })

  for (const [what, body, field, command] of [
    [
      'a destination that is forbidden',
      { destination_address: '169.254.169.254' },
      'destination_address',
      /allow destination 169\.254\.169\.254$/,
    ],
    [
      'one of several destinations',
      {
        destination_address: undefined,
        destinations: [
          { address: '10.9.0.2', port: 80 },
          { address: '100.100.100.200', port: 80 },
        ],
      },
      'destinations.1.address',
      /allow destination 100/,
    ],
    ['a mark of other software', { fwmark: 0x5000_0000 }, 'fwmark', /allow mark/],
    [
      'too many pairs',
      { allowed_sources: Array.from({ length: 4 }, (_, at) => ({ cidr: `10.${at}.0.0/16` })) },
      'allowed_sources',
      /allow rule_pairs 4$/,
    ],
  ] as const)
    it(`a rule with ${what} is refused at ${field}, in a preview too`, async () => {
      limit({ rule_pairs: 3 })
      for (const send of [previewRoute, createRoute])
        refusedAt(await send(operator, body), field, 'BEYOND_LIMITS', command)
      assert.deepEqual(panel.kernel.changes, [])
    })

  it('a rule on an address that comes by a tunnel is refused at the address', async () => {
    await createTunnel(operator, { addresses: [{ address: '8.8.8.8', prefix_length: 32 }], force: true })
    refusedAt(
      await createRoute(operator, { bind_address: '8.8.8.8' }),
      'bind_address',
      'BEYOND_LIMITS',
      /allow network 8\.8\.8\.8$/,
    )
    limit({ tunnel_networks: ['8.8.8.0/24'] })
    assert.equal((await createRoute(operator, { bind_address: '8.8.8.8' })).status, 201)
  })

  it('a rule keeps what it has when something else of it changes', async () => {
    const { status, text } = await createRoute(operator, { fwmark: 9 })
    assert.equal(status, 201, text)
    limit({ marks: [], forbidden_destinations: ['0.0.0.0/0'], rule_pairs: 0 })
    const kept = await patchRoute(operator, 1, { is_logging_enabled: true })
    assert.equal(kept.status, 200, kept.text)
  })

  it('a port that sshd is configured for is protected while nobody listens there, and so is one that the file names', async () => {
    panel.kernel.configuredPorts = [{ port: 2222, owner: 'sshd' }]
    limit({ protected_ports: ['sshd', 'panel', '5000-5010'] })
    for (const [bind_port, words] of [
      [2222, /SSH/],
      [5005, /5000-5010.*tunnel-panel allow port 5005/],
    ] as const) {
      const { status, error } = await createRoute(operator, { ...SMALLEST_RULE, bind_port, force: true })
      assert.deepEqual([status, error.code, error.field], [409, 'PROTECTED_PORT', 'bind_port'])
      assert.match(error.message, words)
    }
  })

  it('what only root can see is a 409 with the command', async () => {
    limit({ rules: 0 })
    const { status, error } = await createRoute(operator)
    assert.deepEqual([status, error.code], [409, 'BEYOND_LIMITS'])
    assert.match(error.message, /tunnel-panel allow rules 1/)
  })

  it('GET /system/limits shows the limits, how much is used, and the fault of the file', async () => {
    await createTunnel(operator)
    await createRoute(operator)
    const { body } = await operator.get<LimitsAnswer>('/system/limits')
    assert.deepEqual(body.limits, DEFAULT_LIMITS)
    assert.deepEqual([body.path, body.fault], ['/etc/tunnel-panel/limits.conf', ''])
    assert.deepEqual([body.used.tunnels, body.used.rules, body.used.tunnel_addresses], [1, 1, 4])
    panel.kernel.limitsFault = message('limits.fault', { path: '/x', line: 3, why: message('limits.no_line') })
    const faulty = await operator.get<LimitsAnswer>('/system/limits')
    assert.equal(faulty.body.fault_message.message_id, 'limits.fault')
    const refused = await createTunnel(operator, { remote_endpoint: '198.51.100.77' })
    assert.equal(refused.status, 503)
    assert.match(refused.error.message, /line 3/)
  })

  it('a tunnel that draws public addresses is named by GET /system/limits and by its analysis', async () => {
    const draws = [
      { address: '8.8.8.1', prefix_length: 30 },
      { address: '10.77.0.1', prefix_length: 30 },
    ]
    const sentence = /^gre-a-1 draws 4 public IPv4 addresses and 0 public IPv6 networks/
    const { body, text } = await createTunnel(operator, { addresses: draws, force: true })
    assert.ok(body.tunnel, text)
    const { drawn } = (await operator.get<LimitsAnswer>('/system/limits')).body
    assert.deepEqual(
      drawn.map((one) => [one.interface_name, one.public_addresses, one.public_subnets]),
      [['gre-a-1', 4, 0]],
    )
    assert.match(drawn[0]?.detail ?? '', sentence)
    const analysis = await operator.post<AnalyzeTunnelAnswer>('/tunnels/1/diagnostics/analyze', { sample_seconds: 0.1 })
    const found = analysis.body.result.evidence.find(({ name }) => name === 'public_addresses')
    assert.match(found?.detail ?? '', sentence)
  })
})
