// What an impact foretells of open connections, held against what becomes of a hundred real ones: the rows about rules
// of decisions.md, I2.
import assert from 'node:assert/strict'
import type { Impact, ImpactAnswer } from '@panel/shared/api/impact/impact.ts'
import type { ChangeRouteAnswer, ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import type { Place } from './relay-peer.ts'
import { CLIENT, CLIENT_TOO, RELAY, RELAY_FAR, RELAY_TOO, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO, THREE] = SERVERS
const CONNECTIONS = 100
const tcp = (port: number, address = RELAY): Place => ({ protocol: 'tcp', address, port })
const SNAT = { nat_mode_id: 20, snat_address: RELAY_FAR }

interface Row {
  /** The change of the rule on port 1001; a second one on 1002 is never changed. */
  readonly rule?: object
  /** The change of a third rule, on port 1001 as well. */
  readonly neighbour?: object
  readonly request: readonly [method: string, path: string, body?: object]
  readonly says: { readonly survive?: number; readonly end?: number }
  /** Why each of its rules is concerned; the first rule alone is changed where nothing is named. */
  readonly why?: readonly string[]
  /** The destination of the next connection to port 1001; null: none. */
  readonly next: string | null
}

const SURVIVE = { survive: CONNECTIONS }
const END = { end: CONNECTIONS }
const BOTH = [
  { address: ONE, port: 80, weight: 3 },
  { address: TWO, port: 80, weight: 1 },
]
/** For the same client as the first rule, but first and to another server. */
const BEFORE = {
  allowed_sources: [{ cidr: `${CLIENT}/32` }],
  sort_order: 1,
  destination_address: TWO,
  destination_port: 80,
}
const WITHOUT_NAT = { nat_mode_id: 30 }
const DROP = { drop_connections: true }

const ROWS: Readonly<Record<string, Row>> = {
  'another destination': {
    request: ['PATCH', '/routes/{id}', { destination_address: TWO }],
    says: SURVIVE,
    next: `${TWO} 80`,
  },
  'another destination without NAT': {
    rule: WITHOUT_NAT,
    request: ['PATCH', '/routes/{id}', { destination_address: TWO }],
    says: SURVIVE,
    next: `${TWO} 80`,
  },
  'another weight': {
    rule: { destinations: BOTH, load_balance_mode_id: 40 },
    request: ['PATCH', '/routes/{id}', { destinations: [{ ...BOTH[0], weight: 0 }, BOTH[1]] }],
    says: SURVIVE,
    next: `${TWO} 80`,
  },
  'another order': { request: ['PATCH', '/routes/{id}', { sort_order: 500 }], says: SURVIVE, next: `${ONE} 80` },
  'another port': { request: ['PATCH', '/routes/{id}', { bind_port: 1009 }], says: SURVIVE, next: null },
  'another address': { request: ['PATCH', '/routes/{id}', { bind_address: RELAY_TOO }], says: SURVIVE, next: null },
  'other sources': {
    request: ['PATCH', '/routes/{id}', { allowed_sources: [{ cidr: `${CLIENT_TOO}/32` }] }],
    says: SURVIVE,
    next: null,
  },
  'another NAT': { request: ['PATCH', '/routes/{id}', SNAT], says: SURVIVE, next: `${ONE} 80` },
  'a rule that is disabled': { request: ['POST', '/routes/{id}/disable'], says: SURVIVE, next: null },
  'a rule that is disabled with its connections': {
    request: ['POST', '/routes/{id}/disable', DROP],
    says: END,
    next: null,
  },
  'a rule that is deleted': { request: ['DELETE', '/routes/{id}'], says: SURVIVE, next: null },
  'a rule with SNAT that is deleted': { rule: SNAT, request: ['DELETE', '/routes/{id}'], says: SURVIVE, next: null },
  'a rule without NAT that is deleted': {
    rule: WITHOUT_NAT,
    request: ['DELETE', '/routes/{id}'],
    says: SURVIVE,
    next: null,
  },
  'a rule that is deleted with its connections': { request: ['DELETE', '/routes/{id}', DROP], says: END, next: null },
  'a destination whose connections are ended': {
    request: ['PATCH', '/routes/{id}', { destination_address: TWO, ...DROP }],
    says: END,
    next: `${TWO} 80`,
  },
  'a rule that is overtaken by a new one': {
    request: ['POST', '/routes', { bind_address: RELAY, bind_port: 1001, ...BEFORE }],
    says: SURVIVE,
    why: ['overtaken'],
    next: `${TWO} 80`,
  },
  'a rule that is set free by the deletion of another': {
    rule: BEFORE,
    neighbour: {},
    request: ['DELETE', '/routes/{id}'],
    says: SURVIVE,
    why: ['changed', 'set_free'],
    next: `${ONE} 80`,
  },
}

describe('The impact that is foretold, and real connections', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    panel = rig.panel()
    await Promise.all([ONE, TWO].map((address) => rig.servers.calls.listen(tcp(80, address))))
  })
  after(() => rig.close())
  afterEach(async () => {
    await rig.client.calls.disperse()
    const { routes } = await api<ListRoutesAnswer>('GET', '/routes')
    for (const { route } of routes) await api('DELETE', `/routes/${route.route_rule_id}`)
  })

  async function api<B>(method: string, path: string, body?: unknown): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const made = async (bind_port: number, fields: object = {}): Promise<number> => {
    const isElsewhere = 'destinations' in fields || 'destination_address' in fields
    const to = isElsewhere ? {} : { destination_address: ONE, destination_port: 80 }
    const body = { bind_address: RELAY, bind_port, ...to, ...fields }
    return (await api<ChangeRouteAnswer>('POST', '/routes', body)).route.route_rule_id
  }
  const opened = async (): Promise<void> =>
    assert.equal(await rig.client.calls.gather(CONNECTIONS, tcp(1001)), CONNECTIONS)
  const foretold = async (method: string, path: string, body: object): Promise<Impact> => {
    await panel.count()
    return (await api<ImpactAnswer>('POST', '/impact', { method, path, body })).impact
  }

  /** Carries out the request; who answered new connections to the ports meanwhile. */
  const during = async (requests: readonly [string, string, object], ports: readonly number[]): Promise<string[]> => {
    await rig.client.calls.startKnocking(ports.map((port) => tcp(port)))
    await api(...requests)
    return (await rig.client.calls.stopKnocking()) ?? []
  }

  for (const [what, { rule = {}, neighbour, request, says, why = ['changed'], next }] of Object.entries(ROWS))
    it(`agree for ${what}`, async () => {
      const id = await made(1001, rule)
      if (neighbour) await made(1001, neighbour)
      await made(1002)
      await opened()
      const [method, path, body = {}] = request
      const requests = [method, path.replace('{id}', `${id}`), body] as const
      const { connections, interruption, rules } = await foretold(...requests)
      const { survive, end, at_risk } = connections
      const expected = { survive: 0, end: 0, at_risk: 0, ...says }
      assert.deepEqual({ survive, end, at_risk, interruption }, { ...expected, interruption: 'new_only' })
      assert.deepEqual(
        rules.map((one) => one.why),
        why,
      )
      const meanwhile = await during(requests, says === END ? [1002] : [1001, 1002])
      const known = [ONE, TWO].map((server) => `1001: ${server} 80`)
      const fine = [`1002: ${ONE} 80`, ...known, ...(next === null ? ['1001: nobody'] : [])]
      assert.deepEqual(
        [meanwhile.filter((one) => !fine.includes(one)), meanwhile.includes(`1002: ${ONE} 80`)],
        [[], true],
      )
      assert.equal(await rig.client.calls.answering(expected.survive), expected.survive)
      assert.equal((await rig.client.calls.talk(tcp(1001)))?.server ?? null, next)
      assert.equal((await rig.client.calls.talk(tcp(1002)))?.server, `${ONE} 80`)
    })

  it('count the connections that no rule owns apart, by the networks of their ends', async () => {
    await made(1001)
    await opened()
    await rig.servers.calls.listen(tcp(80, THREE))
    assert.equal(await rig.client.calls.gather(7, tcp(80, THREE)), CONNECTIONS + 7)
    const counted = async (...networks: string[]): Promise<unknown> =>
      askOnce(rig.socket, 'connections.through', { networks })
    const found = (connections: number): object => ({ is_readable: true, detail: '', connections })
    assert.deepEqual(await counted(`${THREE}/32`, '10.99.0.0/16'), found(7))
    assert.deepEqual(await counted('203.0.113.0/24', '2001:db8::/32'), found(0))
    await assert.rejects(counted('10.9.0.0/33'), /Not every network is one/)
  })

  it('agree for forwarding that is turned off: all stand still, and go on once it is back', async () => {
    const { state } = await askOnce(rig.socket, 'forwarding.probe', {})
    const off = { ...state, live: { ...state.live, ipv4: false }, saved: null }
    await askOnce(rig.socket, 'forwarding.apply', { before: state, after: off })
    await api('POST', '/system/forwarding/enable', {})
    await made(1001)
    await opened()
    const requests = ['POST', '/system/forwarding/enable', { revert: true }] as const
    const { connections, interruption, rules } = await foretold(...requests)
    assert.deepEqual(
      [connections.at_risk, connections.survive, interruption, rules[0]?.fate],
      [CONNECTIONS, 0, 'lasting', 'frozen'],
    )
    await api(...requests)
    assert.deepEqual([await rig.client.calls.answering(0), await rig.client.calls.talk(tcp(1001))], [0, null])
    await api('POST', '/system/forwarding/enable', {})
    assert.equal(await rig.client.calls.answering(CONNECTIONS), CONNECTIONS)
  })
})
