// What a command would have root do is what it then has root do: for arbitrary stores, hosts that others have changed,
// and requests of every kind that touches the host (decisions.md, I1).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { BackupDocument, ImportBackupAnswer } from '@panel/shared/api/backup.ts'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { routeThrough } from '../../support/fake-routes.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'
import type { Client } from '../../api/support/client.ts'
import { exportOf } from '../../api/support/backup.ts'
import { OPERATOR, requestThrough, startPanel } from '../../api/support/panel.ts'
import { fill, panels } from '../../api/support/random-panels.ts'
import { plantByHand } from '../../api/support/reconcile.ts'
import { SMALLEST_RULE } from '../../api/support/routes.ts'
import { SMALLEST } from '../../api/support/tunnels.ts'

type Requested = readonly [method: string, path: string, body: object]

const id = fc.integer({ min: 1, max: 4 })
const on = (method: string, path: (id: number) => string, body: fc.Arbitrary<object> = fc.constant({})) =>
  fc.tuple(id, body).map(([one, sent]): Requested => [method, path(one), sent])
const tunnel =
  (more = '') =>
  (one: number) =>
    `/tunnels/${one}${more}`
const route =
  (more = '') =>
  (one: number) =>
    `/routes/${one}${more}`
const changed = fc.record(
  {
    ttl: fc.constantFrom(0, 9),
    mtu: fc.constantFrom(1280, 1300, null),
    remote_endpoint: fc.constantFrom('198.51.100.50', '198.51.100.51'),
    interface_name: fc.constantFrom('other-a', 'other-b'),
    persistence_type_id: fc.constantFrom(10, 20, 30),
    is_enabled: fc.boolean(),
    confirm_recreate: fc.constant(true),
  },
  { requiredKeys: ['confirm_recreate'] },
)
const rule = fc.record(
  {
    bind_port: fc.constantFrom(447, 448, 10_000),
    nat_mode_id: fc.constantFrom(10, 30),
    is_logging_enabled: fc.boolean(),
    is_enabled: fc.boolean(),
  },
  { requiredKeys: [] },
)
const destination = fc.record({ address: fc.constantFrom('10.9.0.2', '10.9.0.9'), port: fc.constantFrom(80, 81) })
const source = fc.record({ cidr: fc.constantFrom('198.51.100.0/24', '203.0.113.0/24') })
const address = fc.record({
  address: fc.constantFrom('10.50.0.1', '10.60.0.1'),
  prefix_length: fc.constantFrom(24, 30),
})

const requests: fc.Arbitrary<Requested> = fc.oneof(
  changed.map(({ confirm_recreate: _, ...more }): Requested => ['POST', '/tunnels', { ...SMALLEST, ...more }]),
  on('PATCH', tunnel(), changed),
  on('DELETE', tunnel()),
  ...['/up', '/down', '/restart', '/reapply'].map((word) => on('POST', tunnel(word))),
  on('POST', tunnel('/addresses'), address),
  on('DELETE', tunnel('/addresses'), address),
  on('POST', (one) => `/reconcile/${one}/reapply`),
  on('POST', (one) => `/reconcile/${one}/forget`),
  fc.constant<Requested>(['POST', '/reconcile/adopt', { interface_name: 'by-hand', persistence_type_id: 10 }]),
  fc.boolean().map((revert): Requested => ['POST', '/system/forwarding/enable', revert ? { revert } : {}]),
  rule.map((more): Requested => ['POST', '/routes', { ...SMALLEST_RULE, ...more }]),
  fc.shuffledSubarray([1, 2, 3, 4]).map((route_rule_ids): Requested => ['POST', '/routes/reorder', { route_rule_ids }]),
  fc.constant<Requested>(['POST', '/routes/apply-all', {}]),
  on('PATCH', route(), rule),
  on('DELETE', route()),
  ...['/enable', '/disable', '/reapply'].map((word) => on('POST', route(word))),
  on('POST', route('/destinations'), destination),
  on('DELETE', route('/destinations'), destination),
  on('POST', route('/allowed-sources'), source),
  on('DELETE', route('/allowed-sources'), source),
)

/** What others do to the host; the number picks among what there is. */
const DRIFTS: Readonly<Record<string, (host: FakeKernel, at: number) => void>> = {
  'a link has another MTU': (host, at) => {
    const state = linkAt(host, at)?.state
    if (state) state.config = { ...state.config, mtu: 1200 + at }
  },
  'a link is down': (host, at) => {
    const state = linkAt(host, at)?.state
    if (state) state.is_up = false
  },
  'a link has no address': (host, at) => {
    const state = linkAt(host, at)?.state
    if (state) state.config = { ...state.config, addresses: [] }
  },
  'a link is gone': (host, at) => void host.held.delete([...host.held.keys()][at % Math.max(1, host.held.size)] ?? ''),
  'a route leads over a link': (host, at) => {
    const name = [...host.held.keys()][at % Math.max(1, host.held.size)]
    if (name !== undefined) host.routesOfOthers.add(name, routeThrough(`10.${90 + at}.0.0/16`))
  },
  'a link is made': (host) => {
    if (!host.held.has('by-hand')) plantByHand(host, 'by-hand')
  },
  'a rule is gone': (host, at) => void host.rulesets.rules.delete(at),
  'a rule is another': (host, at) => {
    if (host.rulesets.rules.has(at)) host.rulesets.edit(at, { fwmark: 77 })
  },
  'boot has lost a rule': (host, at) => void host.rulesets.boot.delete(at),
  'all rules are flushed': (host) => host.rulesets.flush(),
}
const linkAt = (host: FakeKernel, at: number) => [...host.held.values()][at % Math.max(1, host.held.size)]

const deeds = fc.array(
  fc.record({
    drift: fc.option(fc.tuple(fc.constantFrom(...Object.keys(DRIFTS)), id), { freq: 2 }),
    requested: requests,
  }),
  { minLength: 5, maxLength: 15, size: 'max' },
)

describe('For arbitrary hosts, stores and requests', function () {
  quietly()

  it('the steps that are foreseen are those that are taken, none where it is refused, and foreseeing does nothing', async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(panels, deeds, async (wanted, all) => {
        const { host, client, ran, close } = await furnished()
        try {
          await fill(client, wanted)
          ran.length = 0
          for (const { drift, requested } of all) {
            if (drift) DRIFTS[drift[0]]?.(host, drift[1])
            const kind = await agrees(host, client, ran, requested)
            seen.set(kind, (seen.get(kind) ?? 0) + 1)
          }
        } finally {
          await close()
        }
      }),
      { numRuns: 8 },
    )
    assert.ok((seen.get('taken') ?? 0) > 0, `so many were carried out: ${JSON.stringify([...seen])}`)
  })
})

const imports = fc.record({
  source: panels,
  /** What is there already: nothing, or another panel. */
  target: fc.option(panels, { freq: 3 }),
  drifts: fc.array(fc.tuple(fc.constantFrom(...Object.keys(DRIFTS)), id), { maxLength: 2 }),
  options: fc.record(
    { force: fc.boolean(), include_settings: fc.boolean(), include_routes: fc.boolean(), is_atomic: fc.boolean() },
    { requiredKeys: ['include_routes'] },
  ),
})

describe('For arbitrary backups, and hosts and stores that they are imported into', function () {
  quietly()

  it('the steps that are foreseen are those that are taken, and more only where it says that more is not known', async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(imports, async ({ source, target, drifts, options }) => {
        const backup = await backupFrom(source)
        const { host, client, ran, close } = await furnished()
        try {
          if (target) await fill(client, target)
          for (const [drift, at] of drifts) DRIFTS[drift]?.(host, at)
          ran.length = 0
          const body = { backup, current_password: OPERATOR.password, ...options }
          const kind = await importAgrees(host, client, ran, body)
          seen.set(kind, (seen.get(kind) ?? 0) + 1)
        } finally {
          await close()
        }
      }),
      { numRuns: 30 },
    )
    assert.ok((seen.get('taken') ?? 0) > 0, `so many were carried out: ${JSON.stringify([...seen])}`)
  })
})

async function backupFrom(wanted: Parameters<typeof fill>[1]): Promise<BackupDocument> {
  const { client, close } = await furnished()
  try {
    await fill(client, wanted)
    return await exportOf(client)
  } finally {
    await close()
  }
}

/** Whether all of it was known beforehand and root had something to do. */
async function importAgrees(host: FakeKernel, client: Client, ran: string[], body: object): Promise<string> {
  const picture = host.picture()
  const foreseen = await client.post<ImpactAnswer>('/impact', { method: 'POST', path: '/backup/import', body })
  assert.deepEqual([foreseen.status, host.picture(), ran.splice(0)], [200, picture, []], foreseen.text)
  const done = await client.post<ImportBackupAnswer>('/backup/import', body)
  const taken = ran.splice(0)
  const steps = foreseen.body.plan.steps.map(({ kind }) => kind)
  const what = `${JSON.stringify(body)}: ${foreseen.text} ${done.text}`
  assert.equal(done.status, 200, what)
  if (JSON.stringify(foreseen.body.impact.summary_message).includes('impact.unforeseen')) {
    assert.ok(isWithin(steps, taken), what)
    return 'partly known'
  }
  assert.deepEqual(taken, steps, what)
  return taken.length > 0 ? 'taken' : 'nothing to do'
}

/** Whether all of `some` are among `all`, in their order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let at = 0
  for (const one of all) if (one === some[at]) at += 1
  return at === some.length
}

/** Whether root had something to do. */
async function agrees(host: FakeKernel, client: Client, ran: string[], requested: Requested): Promise<string> {
  const [method, path, body] = requested
  const picture = host.picture()
  const foreseen = await client.post<ImpactAnswer>('/impact', { method, path, body })
  assert.deepEqual([host.picture(), ran.splice(0)], [picture, []], 'foreseeing does nothing')
  const done = await client.api(method, path, body)
  const taken = ran.splice(0)
  const what = `${method} ${path} ${JSON.stringify(body)}: ${foreseen.status} ${done.status} ${done.text.slice(0, 300)}`
  if (done.status >= 300) assert.deepEqual(taken, [], what)
  else {
    assert.equal(foreseen.status, 200, what)
    const steps = foreseen.body.plan.steps.map(({ kind }) => kind)
    assert.deepEqual(taken, steps, what)
  }
  return done.status >= 300 ? 'refused' : taken.length > 0 ? 'taken' : 'nothing to do'
}

/** What boot brings back is root's own to know and to mend, and nothing that is open depends on it. */
const isForeseeable = (step: string): boolean => step !== 'boot_rules_write'

async function furnished() {
  const [host, ran] = [new FakeKernel(), [] as string[]]
  const through = requestThrough(inProcessHelper(host).request)
  const request: Writer = async (method, params) => {
    const answer = await through(method, params)
    if (method.endsWith('.apply')) ran.push(...(answer as { steps: string[] }).steps.filter(isForeseeable))
    return answer
  }
  const panel = await startPanel({ request })
  return { host, ran, client: await panel.setUp(), close: () => panel.close() }
}
