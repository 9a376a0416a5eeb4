// What differs where iptables carries out the relay rules: what is reported, what is refused, and the text of a preview
// (reference.md, System; decisions.md, Y2, Y3).
import assert from 'node:assert/strict'
import type { RuleBackend } from '@panel/shared/ruleset/backend.ts'
import { message } from '@panel/shared/messages/message.ts'
import { iptablesText } from '@panel/shared/ruleset/iptables/render.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, createRoute, madeRoute, patchRoute, previewRoute } from './support/routes.ts'
import { codesOf } from './support/tunnels.ts'

interface Reported {
  rule_backend: {
    active: string
    rule_backend_type_id: number | null
    available: boolean
    reason: string
    detail: string
    namespace: string
    features: Record<string, boolean>
    binaries: Record<string, boolean>
  }
}

const among = (many: number): object => ({
  destination_address: undefined,
  destination_port: undefined,
  load_balance_mode_id: 30,
  destinations: Array.from({ length: many }, (_, at) => ({ address: `10.9.0.${at + 2}`, port: 443 })),
})

describe('A host whose rules iptables carries out', () => {
  let panel: TestPanel
  let client: Client
  const on = (backend: RuleBackend): void => void (panel.kernel.rulesets.backend = backend)
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
    on('iptables_nft')
  })
  afterEach(() => panel.close())

  it('has it in the answer, with what it cannot do and why', async () => {
    const readBackend = async (): Promise<Reported['rule_backend']> =>
      (await client.get<Reported>('/system/capabilities')).body.rule_backend
    const missing = ({ features }: Reported['rule_backend']): string[] =>
      Object.keys(features).filter((name) => !features[name])
    const nft = await readBackend()
    assert.deepEqual(
      [nft.active, nft.rule_backend_type_id, nft.available, missing(nft)],
      ['iptables_nft', 20, true, ['named_counters']],
    )
    assert.match(nft.namespace, /PANEL-\*/)
    assert.match(nft.detail, /32 destinations.*10000 new connections.*no names/)
    assert.ok(nft.reason.length > 0 && nft.binaries['iptables-restore'])
    on('iptables_legacy')
    const legacy = await readBackend()
    assert.deepEqual(
      [legacy.active, legacy.rule_backend_type_id, missing(legacy)],
      ['iptables_legacy', 30, ['named_counters', 'connection_limits']],
    )
    assert.match(legacy.detail, /forgets who is connected/)
    assert.equal(
      (await client.get<{ backend: { active: string } }>('/system/forwarding')).body.backend.active,
      'iptables_legacy',
    )
  })

  it('relays as any other, and says by what', async () => {
    const { status, body } = await createRoute(client, { load_balance_mode_id: 30, ...among(32) })
    assert.deepEqual([status, body.verification.ok, body.verification.backend], [201, true, 'iptables_nft'])
  })

  const refused: [string, RuleBackend, object, Record<string, string>][] = [
    [
      'dealing out by source among more destinations than it can',
      'iptables_nft',
      among(33),
      { load_balance_mode_id: 'INVALID_LOAD_BALANCE_MODE' },
    ],
    [
      'a rate that it cannot hold',
      'iptables_nft',
      { connection_rate_limit: 10_001 },
      { connection_rate_limit: 'INVALID_CONNECTION_LIMIT' },
    ],
    [
      'a limit of open connections by the variant that forgets them',
      'iptables_legacy',
      { max_connections_per_source: 5 },
      { max_connections_per_source: 'INVALID_CONNECTION_LIMIT' },
    ],
    [
      'two of these at once',
      'iptables_legacy',
      { max_connections_per_source: 5, connection_rate_limit: 20_000 },
      { max_connections_per_source: 'INVALID_CONNECTION_LIMIT', connection_rate_limit: 'INVALID_CONNECTION_LIMIT' },
    ],
  ]
  for (const [what, backend, body, codes] of refused) {
    it(`refuses ${what}, at the field that asks for it, when a rule is made, shown or changed`, async () => {
      on(backend)
      assert.deepEqual(
        [codesOf(await previewRoute(client, body)), codesOf(await createRoute(client, body))],
        [codes, codes],
      )
      const { route_rule_id } = await madeRoute(client, {})
      const before = panel.kernel.rulesets.picture()
      const { destination_address: _address, destination_port: _port, ...patch } = body as Record<string, unknown>
      assert.deepEqual(codesOf(await patchRoute(client, route_rule_id, patch)), codes)
      assert.deepEqual(panel.kernel.rulesets.picture(), before)
      on('nftables')
      assert.equal((await createRoute(client, { bind_port: 4000, ...body })).status, 201)
    })
  }

  it('leaves a rule from before that it cannot carry out to be read and renamed, and root refuses to put it in force', async () => {
    on('nftables')
    const { route_rule_id } = await madeRoute(client, { max_connections_per_source: 5 })
    assert.equal((await actOnRoute(client, route_rule_id, 'disable')).status, 200)
    on('iptables_legacy')
    assert.equal((await patchRoute(client, route_rule_id, { route_rule_title: 'renamed' })).status, 200)
    const { status, body } = await actOnRoute(client, route_rule_id, 'enable')
    assert.equal(status, 503)
    assert.match(JSON.stringify(body), /forgets who is connected/)
    assert.equal(
      (await patchRoute(client, route_rule_id, { max_connections_per_source: null, is_enabled: true })).status,
      200,
    )
  })

  it('is shown the very text for iptables-restore in a preview', async () => {
    const { route_rule_id } = await madeRoute(client, { bind_port: 1000 })
    const { status, body } = await previewRoute(client, { bind_port: 1001 })
    const held = [...panel.kernel.rulesets.rules.values()]
    const [first] = held
    assert.ok(first && first.route_rule_id === route_rule_id)
    const wanted = { ...first, route_rule_id: route_rule_id + 1, sort_order: first.sort_order + 1, bind_port: 1001 }
    assert.equal(status, 200)
    assert.match(body.payload, /^# For iptables-restore --noflush\n\*mangle\n/)
    assert.match(body.payload, /^-A PANEL-D-2-0 -p tcp -j DNAT --to-destination 10\.9\.0\.2:/m)
    assert.match(body.note, /iptables-restore/)
    assert.equal((await createRoute(client, { bind_port: 1001 })).status, 201)
    const created = panel.kernel.rulesets.rules.get(wanted.route_rule_id)
    assert.equal(body.payload, iptablesText(held, [...held, created ?? wanted]))
  })

  it('without any of them gives the reason, and a preview in which nothing would be submitted', async () => {
    on('none')
    const { status, body } = await previewRoute(client, { bind_port: 1001 })
    assert.deepEqual([status, body.payload], [200, ''])
    assert.match(body.note, /Nothing would be submitted/)
  })
})

describe('A host whose backend fails', () => {
  let panel: TestPanel
  let client: Client
  const CRASHED = message('root.backend_settled', { backend: 'nftables', why: 'nft crashed (SIGABRT)' }).message
  const rulesOf = async (): Promise<string> => {
    const { components } = (await client.get<Health>('/system/health')).body
    const rules = components.find(({ name }) => name === 'rules')
    return `${rules?.status}: ${rules?.detail}`
  }
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('GET /system/health gives the reason in the component rules, and that of a host without rules too', async () => {
    panel.kernel.ruleBackends.failing = CRASHED
    assert.equal(await rulesOf(), `error: ${CRASHED}`)
  })

  it('is refused every change of a rule with 503, one that only takes away too, and stores none', async () => {
    const { route_rule_id } = await madeRoute(client, {})
    const [before, stored] = [panel.kernel.rulesets.picture(), await client.get('/routes')]
    panel.kernel.ruleBackends.failing = CRASHED
    panel.kernel.rulesets.unreadable = CRASHED
    const answers = [
      await createRoute(client, { bind_port: 4000 }),
      await patchRoute(client, route_rule_id, { bind_port: 4001 }),
      await actOnRoute(client, route_rule_id, 'disable'),
      await actOnRoute(client, route_rule_id, 'reapply'),
      await client.delete(`/routes/${route_rule_id}`),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503, 503, 503, 503],
    )
    for (const { error } of answers) assert.match(error.message, /nft crashed \(SIGABRT\)/)
    panel.kernel.ruleBackends.failing = panel.kernel.rulesets.unreadable = ''
    assert.deepEqual(panel.kernel.rulesets.picture(), before)
    assert.deepEqual((await client.get('/routes')).body, stored.body)
  })

  it('GET /reconcile calls its rules unread, and none of them in sync', async () => {
    await madeRoute(client, {})
    panel.kernel.rulesets.unreadable = CRASHED
    const { body } = await client.get<Reconcile>('/reconcile')
    assert.equal(body.route_findings.readable, false)
    assert.deepEqual(body.routes, [])
    assert.equal(body.route_counts['InSync'] ?? 0, 0)
  })
})

describe('A host with chains of the panel in another backend too', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('is an error in its health, and refused every change, until they are gone', async () => {
    const { route_rule_id } = await madeRoute(client, {})
    panel.kernel.ruleBackends.isNamed = false
    panel.kernel.ruleBackends.takeOverFrom('iptables_legacy', [])
    const { components } = (await client.get<Health>('/system/health')).body
    const rules = components.find(({ name }) => name === 'rules')
    assert.equal(rules?.status, 'error')
    assert.match(rules?.detail ?? '', /in iptables_legacy too, beside nftables.*PANEL_RULE_BACKEND/)
    for (const { status, error } of [
      await createRoute(client, { bind_port: 4000 }),
      await client.delete(`/routes/${route_rule_id}`),
    ]) {
      assert.equal(status, 503)
      assert.match(error.message, /PANEL_RULE_BACKEND/)
    }
    panel.kernel.ruleBackends.former = null
    assert.equal((await client.delete(`/routes/${route_rule_id}`)).status, 200)
  })
})

interface Health {
  components: { name: string; status: string; detail: string }[]
}

interface Reconcile {
  routes: unknown[]
  route_counts: Record<string, number>
  route_findings: { readable: boolean }
}
