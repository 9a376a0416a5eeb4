// The functions that carry a command out foretell what it would do, and nothing happens meanwhile (reference.md,
// Impact).
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import type { CommandContext, StoreContext } from '@panel/web-daemon/platform/context.ts'
import { changesHost, type Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { createNetwork, movePath } from './support/networks.ts'
import { plantByHand } from './support/reconcile.ts'
import { createRoute, SMALLEST_RULE } from './support/routes.ts'
import { createTunnel, SMALLEST } from './support/tunnels.ts'

type Requested = readonly [method: string, path: string, body?: object]

const foresee = (
  client: Client,
  [method, path, body = {}]: Requested,
  more: object = {},
): Promise<Reply<ImpactAnswer>> => client.post('/impact', { method, path, body, ...more })
const send = (client: Client, [method, path, body]: Requested): Promise<Reply> => client.api(method, path, body)

interface Furnished {
  readonly panel: TestPanel
  readonly host: FakeKernel
  readonly client: Client
  /** The kinds of the steps that root has taken. */
  readonly ran: string[]
}

const MORE_ADDRESSES = [
  { address: '10.9.0.1', prefix_length: 30, is_primary: true },
  { address: '10.9.1.1', prefix_length: 30 },
]

/**
 * Four tunnels, the second down; three rules, the third out of force; and two networks over the last tunnels, the second
 * with its preferred path taken out.
 */
async function furnished(): Promise<Furnished> {
  const [host, ran] = [new FakeKernel(), [] as string[]]
  const through = requestThrough(inProcessHelper(host).request)
  const request: Writer = async (method, params) => {
    const answer = await through(method, params)
    if (method.endsWith('.apply')) ran.push(...(answer as { steps: string[] }).steps)
    return answer
  }
  const panel = await startPanel({ request })
  const client = await panel.setUp()
  for (const body of [
    { addresses: MORE_ADDRESSES },
    { is_enabled: false, remote_endpoint: '198.51.100.8' },
    { remote_endpoint: '198.51.100.10' },
    { remote_endpoint: '198.51.100.11' },
  ])
    assert.equal((await createTunnel(client, body)).status, 201)
  for (const destination of ['10.50.0.0/16', '10.51.0.0/16'])
    assert.equal((await createNetwork(client, { destination, paths: PREFERRED_PATHS })).status, 201)
  assert.equal((await movePath(client, 2, 3, 'take-out')).status, 200)
  const two = [
    { address: '10.9.0.2', port: 80 },
    { address: '10.9.1.2', port: 80 },
  ]
  for (const body of [
    { destinations: two, load_balance_mode_id: 20, allowed_sources: [{ cidr: '203.0.113.0/24' }] },
    { bind_port: 444 },
    { bind_port: 445, is_enabled: false },
  ]) {
    const { destination_address: _a, destination_port: _p, ...listens } = SMALLEST_RULE
    const made = await ('destinations' in body
      ? client.post('/routes', { ...listens, ...body })
      : createRoute(client, body))
    assert.equal(made.status, 201, made.text)
  }
  plantByHand(host, 'by-hand')
  return { panel, host, client, ran }
}

const PREFERRED_PATHS = [
  { tunnel_id: 3, preference: 10 },
  { tunnel_id: 4, preference: 20 },
]

const WITHOUT_NAT = {
  route_rule_title: 'without nat',
  bind_port: 447,
  nat_mode: 'none',
  destinations: [{ address: '10.9.0.2', port: 80 }],
}

/** A request to each endpoint that touches the host, and whether root has anything to do for it. */
const REQUESTS: Readonly<Record<string, Requested>> = {
  'POST /tunnels': ['POST', '/tunnels', { ...SMALLEST, remote_endpoint: '198.51.100.9' }],
  'PATCH /tunnels/{id}': ['PATCH', '/tunnels/1', { ttl: 9, mtu: 1300, confirm_recreate: true }],
  'DELETE /tunnels/{id}': ['DELETE', '/tunnels/1', {}],
  'POST /tunnels/{id}/up': ['POST', '/tunnels/2/up', {}],
  'POST /tunnels/{id}/down': ['POST', '/tunnels/1/down', {}],
  'POST /tunnels/{id}/restart': ['POST', '/tunnels/1/restart', {}],
  'POST /tunnels/{id}/reapply': ['POST', '/tunnels/1/reapply', {}],
  'POST /tunnels/{id}/addresses': ['POST', '/tunnels/1/addresses', { address: '10.9.5.1', prefix_length: 30 }],
  'DELETE /tunnels/{id}/addresses': ['DELETE', '/tunnels/1/addresses', { address: '10.9.1.1', prefix_length: 30 }],
  'POST /system/forwarding/enable': ['POST', '/system/forwarding/enable', { connections: true }],
  'POST /reconcile/adopt': ['POST', '/reconcile/adopt', { interface_name: 'by-hand', persistence_type_id: 10 }],
  // With the first rule alone.
  'POST /revisions/{id}/restore': ['POST', '/revisions/8/restore', {}],
  'POST /desired': ['POST', '/desired', { document: { version: 1, routes: [WITHOUT_NAT] } }],
  'POST /reconcile/{id}/reapply': ['POST', '/reconcile/1/reapply', {}],
  'POST /reconcile/{id}/forget': ['POST', '/reconcile/1/forget'],
  'POST /routes': ['POST', '/routes', { ...SMALLEST_RULE, bind_port: 446 }],
  'POST /routes/reorder': ['POST', '/routes/reorder', { route_rule_ids: [2, 1] }],
  'POST /routes/apply-all': ['POST', '/routes/apply-all', {}],
  'PATCH /routes/{id}': ['PATCH', '/routes/1', { bind_port: 447 }],
  'DELETE /routes/{id}': ['DELETE', '/routes/1', { drop_connections: true }],
  'POST /routes/{id}/enable': ['POST', '/routes/3/enable', {}],
  'POST /routes/{id}/disable': ['POST', '/routes/1/disable', {}],
  'POST /routes/{id}/reapply': ['POST', '/routes/1/reapply', {}],
  'POST /routes/{id}/destinations': ['POST', '/routes/1/destinations', { address: '10.9.0.9', port: 80 }],
  'DELETE /routes/{id}/destinations': ['DELETE', '/routes/1/destinations', { address: '10.9.1.2', port: 80 }],
  'POST /routes/{id}/allowed-sources': ['POST', '/routes/1/allowed-sources', { cidr: '198.51.100.0/24' }],
  'DELETE /routes/{id}/allowed-sources': ['DELETE', '/routes/1/allowed-sources', { cidr: '203.0.113.0/24' }],
  'POST /routes/{id}/destinations/{destination_id}/drain': ['POST', '/routes/1/destinations/1/drain', {}],
  'POST /routes/{id}/destinations/{destination_id}/return': ['POST', '/routes/1/destinations/1/return', {}],
  'PUT /routes/{id}/check': ['PUT', '/routes/1/check', {}],
  'DELETE /routes/{id}/check': ['DELETE', '/routes/1/check', {}],
  'POST /networks': ['POST', '/networks', { destination: '10.52.0.0/16', paths: PREFERRED_PATHS }],
  'PATCH /networks/{id}': ['PATCH', '/networks/1', { metric: 60, own_addresses: ['10.66.0.1'] }],
  'DELETE /networks/{id}': ['DELETE', '/networks/1', {}],
  'POST /networks/{id}/paths/{tunnel_id}/take-out': ['POST', '/networks/1/paths/3/take-out', {}],
  'POST /networks/{id}/paths/{tunnel_id}/put-back': ['POST', '/networks/2/paths/3/put-back', {}],
  'POST /backup/import': ['POST', '/backup/import', { backup: {} }],
}
/** Actions that have something to do only after the host was changed by hand. */
const REMEDIES = ['reapply', 'apply-all']
const IDLE = [
  'POST /reconcile/{id}/forget',
  'POST /routes/{id}/destinations/{destination_id}/return',
  'PUT /routes/{id}/check',
  'DELETE /routes/{id}/check',
]

/** Cancelling a window, which waits in none, has a file of its own: impact-cancel.test.ts. */
const touchesHost = (endpoint: Endpoint): boolean => endpoint.kind === 'command' && changesHost(endpoint)

/** Everything that is stored. */
async function stored({ db }: TestPanel): Promise<string> {
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table' order by name`.execute(
    db,
  )
  const rows = tables.rows.map(async ({ name }) => [
    name,
    (await sql`select * from ${sql.table(name)}`.execute(db)).rows,
  ])
  return JSON.stringify(await Promise.all(rows))
}

/** A backup with one tunnel and one rule that are not here yet. */
async function backupFrom(client: Client): Promise<object> {
  const { body } = await client.get<{ tunnels: object[]; routes: object[] }>('/backup/export')
  const [tunnel, rule] = [body.tunnels[0], body.routes[0]]
  return {
    ...body,
    settings: {},
    pools: [],
    tunnels: [
      {
        ...tunnel,
        interface_name: 'other',
        tunnel_number: 7,
        remote_endpoint: '198.51.100.77',
        ikey: 77,
        okey: 77,
        addresses: [],
      },
    ],
    routes: [{ ...rule, route_rule_title: 'other', bind_port: 9000, tunnel_id: null }],
  }
}

describe('The impact of a request', () => {
  let made: Furnished
  beforeEach(async () => (made = await furnished()))
  afterEach(() => made.panel.close())

  it('is known for every command that touches the host', () => {
    const touching = made.panel.endpoints.filter(touchesHost).map(({ route }) => route)
    assert.deepEqual([...touching].sort(), Object.keys(REQUESTS).sort())
  })

  it('is known by the compiler: without foresee a handler is given nothing that changes the host', () => {
    const isEnough: StoreContext extends CommandContext ? true : false = false
    assert.equal(isEnough, false)
  })

  const OVER_NETWORKS: Readonly<Record<string, Requested>> = {
    'DELETE /tunnels/{id} of a path': ['DELETE', '/tunnels/4', { force: true }],
    'POST /tunnels/{id}/down of a path': ['POST', '/tunnels/3/down', {}],
    'PATCH /tunnels/{id} of a path': ['PATCH', '/tunnels/3', { is_enabled: false }],
  }
  for (const [route, given] of Object.entries({ ...REQUESTS, ...OVER_NETWORKS }))
    for (const hasDrifted of [false, true])
      it(`of ${route} has the steps that are then taken, ${hasDrifted ? 'on a host that has drifted too' : 'and does nothing itself'}`, async () => {
        const { panel, host, client, ran } = made
        if (hasDrifted) drift(host)
        const [method, path, body] = given
        const requests: Requested =
          body && 'backup' in body ? [method, path, { backup: await backupFrom(client) }] : given
        const before = [host.picture(), await stored(panel)]
        const { status, text, body: reported } = await foresee(client, requests)
        assert.equal(status, 200, text)
        assert.deepEqual([host.picture(), await stored(panel)], before)
        ran.length = 0
        const done = await send(client, requests)
        assert.ok(done.status < 300, done.text)
        assert.deepEqual(
          ran,
          reported.plan.steps.map(({ kind }) => kind),
        )
        const isRemedy = REMEDIES.some((word) => route.endsWith(word))
        if (isRemedy === hasDrifted && !IDLE.includes(route)) assert.ok(ran.length > 0)
      })
})

/** The first tunnel and the first rule are not as stored any more. */
function drift(host: FakeKernel): void {
  const link = host.held.get('gre-a-1')
  assert(link?.state)
  link.state.config = { ...link.state.config, mtu: 1200 }
  host.rulesets.rules.delete(1)
}
