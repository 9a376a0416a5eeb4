// Relay rules through HTTP down to the real nft: what the panel says it did is what the kernel of a fresh network
// namespace holds.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { Client } from '../api/support/client.ts'
import { requestThrough, startPanel, type TestPanel } from '../api/support/panel.ts'
import {
  actOnRoute,
  addDestination,
  addSource,
  applyAll,
  deleteRoute,
  getRoute,
  listRoutes,
  madeRoute,
  patchRoute,
  previewRoute,
  reorder,
} from '../api/support/routes.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import { KernelNamespace } from './kernel-namespace.ts'

/** One of each thing that a rule can be. */
const RULES: Readonly<Record<string, object>> = {
  plain: {},
  'udp range': { route_protocol_id: 20, bind_port: 5000, bind_port_range_end: 5010, destination_port: 6000 },
  'both protocols on every address': {
    route_protocol_id: 30,
    bind_address: '0.0.0.0',
    bind_port: 53,
    destination_port: 53,
  },
  ipv6: { bind_address: '2001:db8::1', bind_port: 80, destination_address: 'fd00::2', destination_port: 8080 },
  weighted: {
    bind_port: 81,
    load_balance_mode_id: 40,
    destination_address: undefined,
    destination_port: undefined,
    destinations: [
      { address: '10.9.0.2', port: 80, weight: 3 },
      { address: '10.9.0.3', port: 80, weight: 1 },
      { address: '10.9.0.4', port: 80, is_enabled: false },
    ],
  },
  'source hash': {
    bind_port: 82,
    load_balance_mode_id: 30,
    destination_address: undefined,
    destination_port: undefined,
    destinations: [
      { address: '10.9.0.2', port: 80 },
      { address: '10.9.0.3', port: 80 },
    ],
  },
  'allowed sources': { bind_port: 83, allowed_sources: [{ cidr: '203.0.113.0/24' }, { cidr: '198.51.100.7' }] },
  'limits, logging and a mark': {
    bind_port: 84,
    max_connections_per_source: 10,
    connection_rate_limit: 100,
    is_logging_enabled: true,
    fwmark: 77,
  },
  snat: { bind_port: 85, nat_mode_id: 20, snat_address: '192.0.2.1', is_include_local_originated: true },
  'no NAT of the source, by interface': {
    bind_port: 86,
    nat_mode_id: 30,
    bind_interface: 'eth0',
    is_clamp_mss_to_pmtu: false,
  },
}

describe('Relay rules from HTTP to nft', function () {
  let space: KernelNamespace
  let panel: TestPanel
  let client: Client
  before(async () => {
    space = new KernelNamespace()
    const kernel = Object.create(new FakeKernel(), {
      rulesets: { value: space.kernel.rulesets },
      forwarding: { value: space.kernel.forwarding },
      ruleBackend: { value: { active: 'nftables', has_ipv6: true, reason: '' } },
    }) as FakeKernel
    panel = await startPanel({ request: requestThrough(inProcessHelper(kernel).request) })
    client = await panel.setUp()
  })
  after(async () => {
    await panel.close()
    await space.close()
  })

  const states = async (): Promise<string[]> => [
    ...new Set((await listRoutes(client)).body.routes.map(({ health }) => `${health.state} ${health.installed ?? ''}`)),
  ]
  const table = (): string => space.run('nft', ['list', 'table', 'inet', 'panel'])
  const forwards = (): string => space.run('cat', ['/proc/sys/net/ipv4/ip_forward']).trim()

  it('the text of a preview, loaded by hand, is the table that the POST then makes', async () => {
    const { payload } = (await previewRoute(client)).body
    const other = new KernelNamespace()
    try {
      await other.kernel.rulesets.read()
      other.run('nft', ['-f', '-'], payload)
      await madeRoute(client)
      assert.equal(other.run('nft', ['list', 'table', 'inet', 'panel']), table())
    } finally {
      await other.close()
    }
    assert.match(payload, /10\.9\.0\.2/)
    assert.equal(forwards(), '1')
    await deleteRoute(client, 1)
  })

  for (const [what, body] of Object.entries(RULES)) {
    it(`a rule that is ${what} is made, verified and healthy`, async () => {
      const { route_rule_id } = await madeRoute(client, body)
      const { health } = (await getRoute(client, route_rule_id)).body
      assert.deepEqual(
        [health.state, health.detail, health.installed],
        ['healthy', 'The rule in the kernel matches what is stored', true],
      )
    })
  }

  it('is changed in every way there is, and stays healthy', async () => {
    const [first = 0, second = 0] = (await listRoutes(client)).body.routes.map(({ route }) => route.route_rule_id)
    const changes: (() => Promise<{ status: number; text: string }>)[] = [
      () => patchRoute(client, first, { destination_port: 9, allowed_sources: [{ cidr: '10.0.0.0/8' }] }),
      () => addDestination(client, first, { address: '10.9.0.77', port: 9 }),
      () => addSource(client, first, { cidr: '172.16.0.0/12' }),
      () => actOnRoute(client, second, 'disable').then(() => actOnRoute(client, second, 'enable')),
      () => actOnRoute(client, second, 'reapply'),
      () => patchRoute(client, second, { bind_port: 7000, bind_port_range_end: null, destination_port: 1 }),
    ]
    for (const change of changes) {
      const { status, text } = await change()
      assert.equal(status, 200, text)
      assert.deepEqual(await states(), ['healthy true'])
    }
    const { body } = await reorder(client, [second])
    assert.deepEqual([body.routes[0]?.route_rule_id, await states()], [second, ['healthy true']])
  })

  it('flushed by another program is reported, and put back by apply-all', async () => {
    space.run('nft', ['flush', 'ruleset'])
    assert.deepEqual(await states(), ['failed false'])
    const { status, body, text } = await applyAll(client)
    assert.deepEqual([status, body.rules_applied], [200, Object.keys(RULES).length], text)
    assert.deepEqual(await states(), ['healthy true'])
  })

  it('edited by another program is reported, and put right by reapply', async () => {
    const [first = 0] = (await listRoutes(client)).body.routes.map(({ route }) => route.route_rule_id)
    const mapped = (await patchRoute(client, first, { description: 'the first' })).body as ChangeRouteAnswer
    assert.equal(mapped.plan.operation, 'none')
    const [, map = ''] = /map (\S*account\S*) \{/.exec(table()) ?? []
    space.run('nft', ['flush', 'map', 'inet', 'panel', map])
    assert((await states()).includes('failed false'))
    assert.equal((await actOnRoute(client, first, 'reapply')).status, 200)
    assert.equal((await getRoute(client, first)).body.health.state, 'healthy')
    assert.equal((await applyAll(client)).status, 200)
    assert.deepEqual(await states(), ['healthy true'])
  })

  it('deleted leaves nothing of it, and another table as it was', async () => {
    space.run(
      'nft',
      ['-f', '-'],
      'table inet others {\nchain c {\ntype filter hook input priority 0; policy accept;\ntcp dport 1 accept\n}\n}\n',
    )
    const others = space.run('nft', ['list', 'table', 'inet', 'others'])
    for (const { route } of (await listRoutes(client)).body.routes)
      assert.equal((await deleteRoute(client, route.route_rule_id)).status, 200)
    assert.doesNotMatch(table(), /10\.9\.0|rule_\d+/)
    assert.equal(space.run('nft', ['list', 'table', 'inet', 'others']), others)
  })
})
