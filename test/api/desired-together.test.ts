// Many rules of one file, or of one restore, which root makes and deletes by one change (decisions.md, V8).
import assert from 'node:assert/strict'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import { apply, GAME, TUNNEL } from './support/desired.ts'
import { lastRevision, restore } from './support/revisions.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { getRoute, listRoutes, madeRoute } from './support/routes.ts'
import { refusePort, rulesetChanges } from './support/rulesets.ts'
import { startWindowPanel } from './support/windows.ts'

const COUNT = 12
const { tunnel: _tunnel, ...RULE } = GAME
const rule = (number: number, more: object = {}): object => ({
  ...RULE,
  route_rule_title: `rule ${number}`,
  bind_port: 1000 + number,
  ...more,
})
const rules = (count: number): object[] => Array.from({ length: count }, (_, at) => rule(at + 1))

interface Entry {
  readonly action: string
  readonly target_id: number | null
  readonly operations: readonly string[]
}

describe('Many rules of one file', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
  })
  afterEach(() => panel.close())

  const changes = (): string[] => rulesetChanges(panel)
  const ids = (): number[] => [...panel.kernel.rulesets.rules.keys()].sort((a, b) => a - b)
  const entries = async (action: string): Promise<Entry[]> =>
    (await client.get<{ entries: Entry[] }>(`/audit?action=${action}&limit=100`)).body.entries

  it('are made by one change of the host, each with its own audit entry, in force and in one revision', async () => {
    const { status, body, text } = await apply(client, { tunnels: [TUNNEL], routes: rules(COUNT) })
    assert.equal(status, 200, text)
    const all = Array.from({ length: COUNT }, (_, at) => at + 1)
    assert.deepEqual(changes(), [`ruleset - +${all.join(',')}`])
    assert.deepEqual(ids(), all)
    assert.ok(body.steps.every(({ outcome }) => outcome === 'done'))
    const { routes } = (await listRoutes(client)).body
    assert.deepEqual(
      routes.map(({ route, health }) => [route.route_rule_title, route.apply_status, route.tunnel_id, health.state]),
      all.map((number) => [`rule ${number}`, 'Applied', 1, 'healthy']),
    )
    assert.ok(routes.every(({ route }) => route.last_applied_date !== null))
    const made = await entries('RouteCreate')
    assert.deepEqual(
      made.map(({ target_id }) => target_id).sort((a, b) => Number(a) - Number(b)),
      all,
    )
    for (const { operations } of made) assert.ok(operations.length > 0)
    assert.equal((await lastRevision(client)).action, 'DesiredApply')
    assert.deepEqual((await apply(client, { tunnels: [TUNNEL], routes: rules(COUNT) })).body.items, [])
  })

  it('are foreseen as the one change that they are, and forwarding after it', async () => {
    const body = { document: { version: 1, routes: rules(COUNT) } }
    const impact = await client.post<ImpactAnswer>('/impact', { method: 'POST', path: '/desired', body })
    assert.equal(impact.status, 200, impact.text)
    assert.deepEqual(
      impact.body.plan.steps.map(({ kind }) => kind),
      ['ruleset_submit', 'forwarding_set', 'sysctl_file_write'],
    )
  })

  it('have IP forwarding turned on once, in the audit entry of one of them', async () => {
    await apply(client, { routes: rules(3) })
    assert.ok(panel.kernel.changes.some((what) => /forward/.test(what)))
    const turned = (await entries('RouteCreate')).filter(({ operations }) =>
      operations.some((one) => /forward/.test(one)),
    )
    assert.equal(turned.length, 1)
  })

  it('are deleted by one change, and brought back by one', async () => {
    await apply(client, { routes: rules(COUNT) })
    const { revision_id } = await lastRevision(client)
    await madeRoute(client, { bind_port: 77 })
    panel.kernel.changes.length = 0
    await apply(client, { routes: [] }, { prune: 'all' })
    assert.deepEqual([ids(), changes().length, (await listRoutes(client)).body.total], [[], 1, 0])
    assert.equal((await entries('RouteDelete')).length, COUNT + 1)
    const { body } = await restore(client, revision_id)
    assert.deepEqual([body.is_taken_back, ids().length, changes().length], [false, COUNT, 2])
    assert.equal((await getRoute(client, COUNT)).body.route.route_rule_title, `rule ${COUNT}`)
  })

  it('are all put back where the kernel does not take one of them, which is named', async () => {
    await madeRoute(client, { bind_port: 77 })
    const host = panel.kernel.picture()
    refusePort(panel, 1007)
    panel.kernel.changes.length = 0
    const { status, error } = await apply(client, { routes: rules(COUNT) })
    // Found by halves: rule 7 has the id 8.
    assert.deepEqual(
      changes().slice(0, 4),
      ['2,3,4,5,6,7', '9', '10', '11,12,13'].map((some) => `ruleset - +${some}`),
    )
    assert.deepEqual([status, error.code, error.field], [409, 'APPLY_FAILED', 'document.routes.6'])
    const { error: own, steps } = error.details as { error: { message: string }; steps: { outcome: string }[] }
    assert.match(own.message, /rule 7.*no port 1007/s)
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      [...Array<string>(6).fill('done'), 'failed', ...Array<string>(5).fill('done')],
    )
    assert.deepEqual([panel.kernel.picture(), (await listRoutes(client)).body.total], [host, 1])
  })

  it('are all there still where the kernel does not let go of one of them', async () => {
    await apply(client, { routes: rules(COUNT) })
    const [host, { rulesets }] = [panel.kernel.picture(), panel.kernel]
    const submit = rulesets.submit.bind(rulesets)
    rulesets.submit = async (gone, put) => {
      if (gone.includes(7)) throw new Error('Injected fault: rule 7 stays')
      return submit(gone, put)
    }
    const { status, error } = await apply(client, { routes: [] }, { prune: 'all' })
    assert.deepEqual([status, error.code], [409, 'APPLY_FAILED'])
    assert.match((error.details['error'] as { message: string }).message, /rule 7/)
    assert.deepEqual([panel.kernel.picture(), (await listRoutes(client)).body.total], [host, COUNT])
    const marks = (await listRoutes(client)).body.routes.map(({ route }) => route.apply_status)
    assert.ok(
      marks.every((mark) => mark === 'Applied'),
      marks.join(),
    )
  })

  it('are refused as a whole where two of them want one port, and none is made', async () => {
    const { status, error } = await apply(client, { routes: [...rules(3), rule(4, { bind_port: 1002 }), rule(5)] })
    assert.deepEqual([status, error.code, error.field], [409, 'APPLY_FAILED', 'document.routes.3.bind_port'])
    assert.deepEqual([ids(), (await listRoutes(client)).body.total], [[], 0])
    assert.equal((await entries('RouteCreate')).filter(({ target_id }) => target_id === null).length, 1)
  })

  it('are put back with what was made before and after them, if that fails', async () => {
    await apply(client, { routes: [rule(1)] })
    const host = panel.kernel.picture()
    refusePort(panel, 2000)
    const changed = [rule(1, { bind_port: 2000 }), ...rules(COUNT).slice(1)]
    const { status, error } = await apply(client, { tunnels: [TUNNEL], routes: changed })
    assert.deepEqual([status, error.field], [409, 'document.routes.0'])
    assert.deepEqual([panel.kernel.picture(), (await listRoutes(client)).body.total], [host, 1])
  })
})

describe('Many rules of one file, while the helper', () => {
  let panel: TestPanel
  let client: Client
  /** Those that it got, or would have got. */
  const sent: string[] = []
  let isAway: (method: string) => boolean
  beforeEach(async () => {
    sent.length = 0
    isAway = () => false
    const helper = inProcessHelper(new FakeKernel())
    const request: Writer = async (method, params) => {
      const after = 'after' in params && Array.isArray(params.after) ? params.after.length : 0
      sent.push(`${method} ${after}`)
      if (isAway(method)) throw helperAway('gone')
      return requestThrough(helper.request)(method, params)
    }
    panel = await startPanel({ request })
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const failing = async (): Promise<{ code: string; details: { outcome?: string } }> => {
    sent.length = 0
    const { status, error } = await apply(client, { routes: rules(COUNT) })
    assert.deepEqual([status, error.code], [409, 'APPLY_FAILED'])
    return error.details['error'] as { code: string; details: { outcome?: string } }
  }

  it('answers nothing any more, are not sent again, and it is not known what became of them', async () => {
    let isOver = false
    // What is read of the host is answered, so nothing keeps a second try from being sent.
    isAway = (method) => (isOver ||= method === 'ruleset.apply') && /^ruleset.(apply|verify)$/.test(method)
    const { code, details } = await failing()
    assert.deepEqual([code, details.outcome], ['HELPER_UNAVAILABLE', 'unknown'])
    const applied = sent.filter((one) => one.startsWith('ruleset.apply'))
    assert.deepEqual([...new Set(applied)], [`ruleset.apply ${COUNT}`])
  })

  it('says nothing of the host, have it read once, and not each', async () => {
    isAway = (method) => method === 'host.probe'
    assert.equal((await failing()).code, 'HELPER_UNAVAILABLE')
    assert.deepEqual(
      [sent.filter((one) => one.startsWith('host.probe')).length, (await listRoutes(client)).body.total],
      [1, 0],
    )
  })
  it('says nothing of the host, are planned with that as the reason of each, read once', async () => {
    isAway = () => true
    sent.length = 0
    const { status, body } = await apply(client, { routes: rules(COUNT) }, { dry_run: true })
    assert.deepEqual([status, sent.length], [200, 1])
    assert.deepEqual(
      body.steps.map(({ error }) => error?.code),
      Array<string>(COUNT).fill('HELPER_UNAVAILABLE'),
    )
  })

  it('says nothing of the host, leave what takes no helper as it would be', async () => {
    const made = await apply(client, {
      pools: [{ address_pool_title: 'site', cidr: '10.99.0.0/16', prefix_length: 30 }],
    })
    assert.equal(made.status, 200, made.text)
    isAway = () => true
    const document = { pools: [], routes: rules(2) }
    const { status, body } = await apply(client, document, { dry_run: true, prune: 'all' })
    assert.equal(status, 200)
    const ofPools = body.steps.filter(({ path }) => path.startsWith('/pools/'))
    assert.ok(ofPools.length > 0 && ofPools.every(({ error }) => error === null), JSON.stringify(ofPools))
    assert.ok(body.steps.some(({ path, error }) => path === '/routes' && error?.code === 'HELPER_UNAVAILABLE'))
  })
})
