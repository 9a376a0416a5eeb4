// What the panel says of itself and of the host (reference.md: System; decisions.md, T10, T20, Y2 to Y4, Y7).
import assert from 'node:assert/strict'
import { generateKeySync } from 'node:crypto'
import { LOCAL_PROOF_COOKIE, localProof } from '@panel/web-daemon/features/auth/local-proof.ts'
import { VERSION } from '@panel/web-daemon/platform/version.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { openStore, IN_MEMORY } from '@panel/web-daemon/app/store.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { actOnRoute, madeRoute } from './support/routes.ts'

interface Health {
  status: string
  version?: string
  uptime_seconds?: number
  setup_required: boolean
  components: { name: string; status: string; detail?: string }[]
  checked_at: string
}

const NAMES = ['database', 'helper', 'kernel_module', 'metrics', 'monitor', 'netlink', 'rules']

describe('GET /system/health', () => {
  let panel: TestPanel
  afterEach(() => panel.close())

  const statuses = (health: Health): Record<string, string> =>
    Object.fromEntries(health.components.map(({ name, status }) => [name, status]))
  const healthOf = async (client = panel.visitor()): Promise<Health> => {
    const { status, body } = await client.get<Health>('/system/health')
    assert.equal(status, 200)
    return body
  }

  it('is open before set-up, says that it is required, and hides version and detail', async () => {
    panel = await startPanel()
    const health = await healthOf()
    assert.equal(health.setup_required, true)
    assert.deepEqual(Object.keys(health).sort(), ['checked_at', 'components', 'setup_required', 'status'])
    assert.deepEqual(health.components.map(({ name }) => name).sort(), NAMES)
    for (const component of health.components) assert.deepEqual(Object.keys(component).sort(), ['name', 'status'])
  })

  it('tells the signed-in operator the version, the uptime and a detail of each component', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    panel.clock.advance(5)
    const health = await healthOf(operator)
    assert.deepEqual([health.setup_required, health.version, health.status], [false, VERSION, 'ok'])
    assert.ok(Number(health.uptime_seconds) >= 5)
    assert.deepEqual(statuses(health), {
      database: 'ok',
      helper: 'ok',
      kernel_module: 'ok',
      netlink: 'ok',
      rules: 'ok',
      monitor: 'unknown',
      metrics: 'unknown',
    })
    for (const { detail } of health.components) assert.ok(detail)
  })

  it('tells a stranger what works and nothing more, also one whose session has ended', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    panel.clock.advance(24 * 60 * 60)
    for (const client of [panel.visitor(), operator]) {
      const { version, uptime_seconds, components, ...rest } = await healthOf(client)
      assert.deepEqual([version, uptime_seconds, rest.status, rest.setup_required], [undefined, undefined, 'ok', false])
      for (const component of components) assert.deepEqual(Object.keys(component).sort(), ['name', 'status'])
    }
  })

  it('tells everything to the command line of this host, which shows that it can read the signing key', async () => {
    const key = generateKeySync('hmac', { length: 256 })
    panel = await startPanel({ signing_key: key })
    await panel.setUp()
    const versionFor = async (proof: string): Promise<string | undefined> => {
      const caller = panel.visitor()
      caller.cookies.set(LOCAL_PROOF_COOKIE, proof)
      assert.equal((await caller.get('/auth/me')).status, 401)
      return (await healthOf(caller)).version
    }
    const minutes = (count: number): Date => new Date(panel.clock.now().getTime() + count * 60_000)
    assert.equal(await versionFor(localProof(key, minutes(0))), VERSION)
    for (const proof of [
      localProof(key, minutes(-3)),
      localProof(key, minutes(3)),
      localProof(generateKeySync('hmac', { length: 256 }), minutes(0)),
      '',
      'x',
    ])
      assert.equal(await versionFor(proof), undefined)
  })

  it('says that the kernel cannot do GRE, in the words of the kernel', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    panel.kernel.supportsGre = false
    panel.clock.advance(2)
    const health = await healthOf(operator)
    assert.equal(health.status, 'error')
    assert.match(
      String(health.components.find(({ name }) => name === 'kernel_module')?.detail),
      /gre \(Unknown device type\)/,
    )
  })

  it('says how many of the enabled relay rules are gone, until they are back', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    for (const bind_port of [1, 2, 3]) await madeRoute(operator, { bind_port })
    await actOnRoute(operator, 3, 'disable')
    const rules = async (): Promise<string> => {
      panel.clock.advance(2)
      const health = await healthOf(operator)
      const { status, detail } = health.components.find(({ name }) => name === 'rules') ?? {}
      return `${health.status}, ${status}: ${detail}`
    }
    assert.equal(await rules(), 'ok, ok: The kernel holds the enabled relay rules: 2')
    panel.kernel.rulesets.flush()
    assert.match(await rules(), /^error, error: 2 of 2 enabled relay rules differ in the kernel/)
    // What root kept for the next boot is gone too, so that only the store knows of the rules.
    await operator.post('/routes/apply-all')
    panel.kernel.rulesets.rules.delete(1)
    panel.kernel.rulesets.boot.delete(1)
    await panel.routeWatch.pass('period')
    assert.match(await rules(), /^error, error: 1 of 2 enabled relay rules/)
    await operator.post('/routes/apply-all')
    await panel.routeWatch.pass('period')
    assert.match(await rules(), /^ok, ok/)
  })

  it('is 200 with the helper away, which is an error in its status', async () => {
    panel = await startPanel({
      request: (async () => {
        throw helperAway('ENOENT')
      }) as Writer,
    })
    const operator = await panel.setUp()
    const health = await healthOf()
    assert.deepEqual(statuses(health), {
      database: 'ok',
      helper: 'error',
      kernel_module: 'unknown',
      netlink: 'unknown',
      rules: 'unknown',
      monitor: 'unknown',
      metrics: 'unknown',
    })
    assert.equal(health.status, 'error')
    const { status, error } = await operator.get('/system/capabilities')
    assert.deepEqual([status, error.code], [503, 'HELPER_UNAVAILABLE'])
  })

  it('is 200 with the store gone, to one who was signed in too, and tells a stranger nothing of it', async () => {
    const db = await openStore(IN_MEMORY)
    panel = await startPanel({ db })
    const operator = await panel.setUp()
    await db.schema.dropTable('user_account').execute()
    const { status, body } = await operator.get<Health>('/system/health')
    assert.equal(status, 200)
    assert.equal(statuses(body)['database'], 'error')
    assert.equal(body.components[0]?.detail, undefined)
  })

  it('asks the helper once for a crowd of askers', async () => {
    let requests = 0
    panel = await startPanel({
      request: (async () => {
        requests++
        throw helperAway('ENOENT')
      }) as Writer,
    })
    await Promise.all(Array.from({ length: 20 }, () => healthOf()))
    assert.equal(requests, 4)
  })
})

interface Capability {
  tunnel_types: { tunnel_type_id: number; title: string; supported: boolean; link_manager: string; note: string }[]
  persistence: { persistence_type_id: number; available: boolean; title: string; note: string }[]
  complete: boolean
  rule_backend: {
    active: string
    rule_backend_type_id: number | null
    available: boolean
    reason: string
    namespace: string
    features: Record<string, boolean>
    binaries: Record<string, boolean>
  }
  tools: { name: string; available: boolean }[]
}

describe('GET /system/capabilities', () => {
  let panel: TestPanel
  beforeEach(async () => (panel = await startPanel()))
  afterEach(() => panel.close())

  it('tells of every tunnel type, persistence, tool and the rule backend', async () => {
    const { status, body } = await (await panel.setUp()).get<Capability>('/system/capabilities')
    assert.equal(status, 200)
    assert.deepEqual(
      body.tunnel_types.map(({ tunnel_type_id, supported, link_manager }) => [tunnel_type_id, supported, link_manager]),
      [10, 20, 30, 40].map((id) => [id, true, 'netlink']),
    )
    assert.deepEqual(
      body.persistence.map(({ persistence_type_id, available }) => [persistence_type_id, available]),
      [
        [10, true],
        [20, true],
        [30, true],
      ],
    )
    assert.equal(body.complete, true)
    assert.deepEqual(
      [
        body.rule_backend.active,
        body.rule_backend.rule_backend_type_id,
        body.rule_backend.available,
        body.rule_backend.namespace,
      ],
      ['nftables', 10, true, 'table inet panel'],
    )
    assert.ok(body.rule_backend.reason.length > 0)
    for (const feature of ['ipv6', 'mss_clamp', 'named_counters'])
      assert.equal(body.rule_backend.features[feature], true)
    for (const tool of ['nft', 'iptables', 'iptables-restore']) assert.ok(body.tools.some(({ name }) => name === tool))
    assert.equal(body.rule_backend.binaries['nft'], true)
  })

  it('reports that the kernel cannot do GRE, with its reason', async () => {
    panel.kernel.supportsGre = false
    const { body } = await (await panel.setUp()).get<Capability>('/system/capabilities')
    for (const { supported, note } of body.tunnel_types)
      assert.deepEqual([supported, note], [false, 'Unknown device type'])
  })
})
