// The plan of a rule says beforehand why the rule will not relay, or may not: in the preview and in the answer of the
// change, with what takes it away (reference.md, Forwarding rules; decisions.md, S25).
import assert from 'node:assert/strict'
import type { CauseCode } from '@panel/shared/api/routes/cause-codes.ts'
import type { Cause } from '@panel/shared/api/routes/causes.ts'
import { RULESET_CHANGED } from '@panel/shared/events/model.ts'
import { readForeign } from '@panel/shared/foreign/read.ts'
import { message, verbatim } from '@panel/shared/messages/message.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { storeStates } from '@panel/web-daemon/features/failover/store.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { fakeRoute } from '../support/fake-routes.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import {
  actOnRoute,
  addDestination,
  createRoute,
  deleteRoute,
  getRoute,
  madeRoute,
  patchRoute,
  previewRoute,
} from './support/routes.ts'
import { act, createTunnel } from './support/tunnels.ts'

type Found = [CauseCode, Cause['effect']]

interface Scene {
  readonly title: string
  readonly cause: Found
  readonly rule?: object
  readonly given: (panel: TestPanel, client: Client) => unknown
}

const chain = (fields: object): object => ({
  chain: { family: 'ip', table: 'theirs', name: 'one', type: 'filter', prio: 0, policy: 'accept', ...fields },
})
const rule = (...expr: object[]): object => ({
  rule: { family: 'ip', table: 'theirs', chain: 'one', handle: 1, expr },
})
const dport = { match: { op: '==', left: { payload: { protocol: 'tcp', field: 'dport' } }, right: 443 } }
const holds =
  (...objects: object[]) =>
  ({ kernel }: TestPanel): void =>
    void (kernel.foreign = readForeign(JSON.stringify({ nftables: objects }), ''))
const dropsAll = holds(chain({ hook: 'forward', policy: 'drop' }))

const SCENES: readonly Scene[] = [
  {
    title: 'no route leads to its destination',
    cause: ['NO_ROUTE', 'stops'],
    given: ({ kernel }) => void (kernel.hostRoutes = [fakeRoute('192.0.2.0/24', 'eth0')]),
  },
  {
    title: 'no interface has the address that it listens on',
    cause: ['LISTENER_ABSENT', 'stops'],
    rule: { bind_address: '203.0.113.99' },
    given: () => undefined,
  },
  {
    title: 'a chain of other software drops what is forwarded',
    cause: ['FOREIGN_DROP', 'stops'],
    given: dropsAll,
  },
  {
    title: 'a chain of other software may drop what is forwarded',
    cause: ['FOREIGN_MAY_DROP', 'may_stop'],
    given: holds(chain({ hook: 'forward', policy: 'drop' }), rule({ xt: null }, { accept: null })),
  },
  {
    title: 'other software keeps its connections untracked',
    cause: ['NOT_TRACKED', 'stops'],
    given: holds(chain({ hook: 'prerouting', prio: -300 }), rule(dport, { notrack: null })),
  },
  {
    title: 'other software translates what it listens for before it does',
    cause: ['FOREIGN_DNAT', 'stops'],
    given: holds(chain({ hook: 'prerouting', type: 'nat', prio: -110 }), rule(dport, { dnat: { addr: '172.17.0.2' } })),
  },
  {
    title: 'other software overwrites the mark of its connections',
    cause: ['FOREIGN_MARK', 'degrades'],
    given: holds(chain({ hook: 'forward' }), rule({ mangle: { key: { ct: { key: 'mark' } }, value: 1 } })),
  },
  {
    title: 'IP forwarding is off, and the panel is not to turn it on',
    cause: ['FORWARDING_OFF', 'stops'],
    given: (_, client) => client.put('/settings', { 'routes.auto_enable_ip_forward': false }),
  },
  {
    title: 'connection tracking is nearly full',
    cause: ['TABLE_NEARLY_FULL', 'degrades'],
    given: ({ kernel }) => void (kernel.forwarding.conntrack = { count: 90, max: 100 }),
  },
  {
    title: 'the tunnel that leads to its destination is down',
    cause: ['TUNNEL_DOWN', 'stops'],
    rule: { tunnel_id: 1, destination_address: '172.17.1.2' },
    given: async (_, client) => {
      await createTunnel(client)
      await act(client, 1, 'down')
    },
  },
  {
    title: 'the route to its destination leads past the tunnel that it names',
    cause: ['ROUTE_CHANGED', 'may_stop'],
    rule: { tunnel_id: 1 },
    given: async ({ kernel }, client) => {
      await createTunnel(client)
      kernel.hostRoutes.push(fakeRoute('10.9.0.0/16', 'eth0'))
    },
  },
  {
    title: 'an earlier rule takes all that it listens for',
    cause: ['RULE_SHADOWED', 'stops'],
    given: (_, client) => madeRoute(client, { bind_address: '0.0.0.0', bind_port: 400, bind_port_range_end: 500 }),
  },
]

const found = (causes: readonly Cause[]): Found[] => causes.map(({ code, effect }) => [code, effect])

describe('The plan of a rule', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  /** What the background does, which reads the rules of other software. */
  const pass = (): Promise<unknown> => panel.routeWatch.pass('event')
  const preview = async (body: object = {}): Promise<Cause[]> => {
    const { status, text, body: answer } = await previewRoute(client, body)
    assert.equal(status, 200, text)
    return answer.plan.causes
  }

  for (const scene of SCENES)
    it(`has the cause ${scene.cause[0]} if ${scene.title}: previewed, made, changed and enabled`, async () => {
      await scene.given(panel, client)
      await pass()
      const before = panel.kernel.picture()
      const causes = await preview(scene.rule)
      assert.deepEqual(found(causes), [scene.cause])
      assert.equal(panel.kernel.picture(), before)
      const { status, body: made } = await createRoute(client, scene.rule)
      assert.deepEqual([status, made.plan.causes], [201, causes])
      const { route_rule_id: id } = made.route
      const { health } = (await getRoute(client, id)).body
      assert.deepEqual(
        health.causes.filter(({ effect }) => effect !== 'note'),
        causes,
      )
      const changed = { route_rule_id: id, is_logging_enabled: true, ...scene.rule }
      assert.deepEqual(found(await preview(changed)), [scene.cause])
      const update = (await patchRoute(client, id, { is_logging_enabled: true })).body
      assert.deepEqual(found(update.plan.causes), [scene.cause])
      assert.deepEqual((await actOnRoute(client, id, 'disable')).body.plan.causes, [])
      assert.deepEqual(found((await actOnRoute(client, id, 'enable')).body.plan.causes), [scene.cause])
      assert.deepEqual((await deleteRoute(client, id)).body.plan.causes, [])
    })

  it('has no cause where nothing keeps the rule from relaying, nor for one that is made disabled', async () => {
    await pass()
    assert.deepEqual(await preview(), [])
    assert.deepEqual((await createRoute(client)).body.plan.causes, [])
    dropsAll(panel)
    await pass()
    const disabled = { bind_port: 444, is_enabled: false }
    assert.deepEqual(await preview(disabled), [])
    assert.deepEqual((await createRoute(client, disabled)).body.plan.causes, [])
  })

  it('has none that its own steps take away: forwarding, as a whole and of each interface, is turned on', async () => {
    panel.kernel.hostInterfaces = panel.kernel.hostInterfaces.map((one) => ({ ...one, forwards_ipv4: false }))
    await pass()
    const { plan } = (await previewRoute(client)).body
    assert.ok(plan.steps.some(({ kind }) => kind === 'forwarding_set'))
    assert.deepEqual(plan.causes, [])
    panel.kernel.forwarding.live = { ipv4: true }
    assert.deepEqual(found(await preview()), [['FORWARDING_OFF', 'stops']])
  })

  it('of a rule that failed or is inconsistent has no cause that the change takes away', async () => {
    await madeRoute(client)
    await pass()
    await panel.db.updateTable('route_rule').set({ apply_status_id: 40 }).execute()
    panel.kernel.rulesets.flush()
    assert.deepEqual(await preview({ route_rule_id: 1, bind_port: 444 }), [])
  })

  it('is made where a rule is bound to an interface that is gone, which is no reason to refuse another change of it', async () => {
    await madeRoute(client, { bind_interface: 'eth0', bind_address: '0.0.0.0' })
    panel.kernel.hostInterfaces = panel.kernel.hostInterfaces.map((one) =>
      one.name === 'eth0' ? { ...one, name: 'eth1' } : one,
    )
    panel.kernel.hostRoutes = panel.kernel.hostRoutes.map((one) => ({ ...one, device: 'eth1' }))
    await pass()
    const body = { bind_address: '0.0.0.0', bind_interface: 'eth0' }
    assert.deepEqual(found(await preview({ route_rule_id: 1, ...body })), [['LISTENER_ABSENT', 'stops']])
    const { plan } = (await patchRoute(client, 1, { bind_port: 444 })).body
    assert.deepEqual(found(plan.causes), [['LISTENER_ABSENT', 'stops']])
  })

  it('says of a destination that stays why it is down, and nothing of one that goes', async () => {
    await madeRoute(client, { check: { is_enabled: true } })
    await pass()
    const reason = message('check.refuses', { port: 8443 })
    const change = { route_rule_id: 1, route_destination_id: 1, from: 'up', to: 'down', reason, flips: 0 }
    await storeStates(panel.db, [change], new Date().toISOString())
    const down: Found = ['DESTINATIONS_DOWN', 'stops']
    const [one, ...others] = await preview({ route_rule_id: 1, bind_port: 444 })
    assert.deepEqual([one && found([one]), others], [[down], []])
    assert.match(one?.detail ?? '', /8443 refuses/)
    assert.deepEqual(await preview({ route_rule_id: 1, destination_address: '10.9.0.3' }), [])
    const added = await addDestination(client, 1, { address: '10.9.0.3', port: 80 })
    assert.deepEqual(found(added.body.plan.causes), [['DESTINATIONS_DOWN', 'degrades']])
  })

  it('of a preview says that the rules of other software are not known until they are read after a change of them', async () => {
    const unread: Found[] = [['NOT_READ', 'may_stop']]
    assert.deepEqual(found(await preview()), unread)
    await pass()
    assert.deepEqual(await preview(), [])
    dropsAll(panel)
    panel.bus.publish('host.changed', { events: [RULESET_CHANGED] })
    const [cause] = await preview()
    assert.deepEqual([cause?.code, cause?.remedies], ['NOT_READ', []])
    assert.match(cause?.detail ?? '', /Rules of other software have just changed/)
    // A change reads them itself.
    assert.deepEqual(found((await createRoute(client)).body.plan.causes), [['FOREIGN_DROP', 'stops']])
    assert.deepEqual(found(await preview({ bind_port: 444 })), [['FOREIGN_DROP', 'stops']])
  })

  it('of labels alone reads nothing and has none; of a change that the kernel never sees it has those of the rule as it is', async () => {
    dropsAll(panel)
    await madeRoute(client)
    assert.deepEqual((await patchRoute(client, 1, { description: 'x' })).body.plan.causes, [])
    const { plan } = (await patchRoute(client, 1, { is_self_heal: true })).body
    assert.deepEqual([plan.steps, found(plan.causes)], [[], [['FOREIGN_DROP', 'stops']]])
  })
})

describe('The plan of a rule, while something cannot be read,', () => {
  let panel: TestPanel
  let client: Client
  let failing: Partial<Record<string, Refusal>>
  beforeEach(async () => {
    failing = {}
    const kernel = new FakeKernel()
    const through = requestThrough(inProcessHelper(kernel).request)
    const request: Writer = async (method, params) => {
      const refusal = failing[method] ?? failing['all']
      if (refusal) throw refusal
      return through(method, params)
    }
    panel = await startPanel({ request })
    client = await panel.setUp()
    await panel.routeWatch.pass('event')
  })
  afterEach(() => panel.close())

  const NOT_READ: Found[] = [['NOT_READ', 'may_stop']]

  it('is made, says so, and fails neither the preview nor the change', async () => {
    failing = { 'route.lookup': new Refusal('SERVICE_UNAVAILABLE', verbatim('The kernel refused it')) }
    const { status, body } = await previewRoute(client)
    assert.deepEqual([status, found(body.plan.causes)], [200, NOT_READ])
    assert.match(body.plan.causes[0]?.detail ?? '', /could be read: The kernel refused it/)
    const made = await createRoute(client)
    assert.deepEqual([made.status, found(made.body.plan.causes)], [201, NOT_READ])
    const update = await patchRoute(client, 1, { bind_port: 444 })
    assert.deepEqual([update.status, found(update.body.plan.causes)], [200, NOT_READ])
  })

  it('says so too where the helper goes away meanwhile', async () => {
    await client.put('/settings', { 'routes.auto_enable_ip_forward': false })
    failing = { 'forwarding.probe': helperAway('ENOENT') }
    const { status, body } = await previewRoute(client)
    assert.deepEqual([status, found(body.plan.causes)], [200, NOT_READ])
    assert.match(body.plan.causes[0]?.detail ?? '', /the root helper does not answer/)
  })

  it('is not made without the helper: 503, as ever', async () => {
    failing = { all: helperAway('ENOENT') }
    const { status, error } = await previewRoute(client)
    assert.deepEqual([status, error.code], [503, 'HELPER_UNAVAILABLE'])
  })
})
