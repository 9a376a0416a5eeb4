// The whole panel in the middle of a relay: what it says over HTTP beside what packets meet.
import assert from 'node:assert/strict'
import type { ConnectionsAnswer } from '@panel/shared/api/routes/connections.ts'
import type { ErrorEnvelope } from '@panel/shared/api/base/errors.ts'
import type { ReconcileAnswer } from '@panel/shared/api/reconcile.ts'
import type { ChangeRouteAnswer, ListRoutesAnswer, UpdateRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { RouteTrafficAnswer } from '@panel/shared/api/routes/traffic.ts'
import { eventually } from '../support/eventually.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE, TWO] = SERVERS
const tcp = (port: number): Place => ({ protocol: 'tcp', address: RELAY, port })
const udp = (port: number): Place => ({ protocol: 'udp', address: RELAY, port })
const UDP = 20

/** What leads to a rule goes, and the table stays. */
const WITHOUT_ITS_PORT = 'flush map inet panel relay_in_any4; flush map inet panel relay_in_id4'

describe('The panel in the middle of a relay', function () {
  const rig = new RelayRig({}, { canFail: true })
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    panel = rig.panel()
    await Promise.all(
      [
        [ONE, 'tcp', 80],
        [TWO, 'tcp', 80],
        [ONE, 'udp', 90],
      ].map(([address, protocol, port]) => rig.servers.calls.listen({ protocol, address, port } as Place)),
    )
  })
  after(() => rig.close())
  // Whatever a test leaves that fails is not the next one's matter.
  afterEach(async () => {
    rig.tools.mend()
    await rig.client.calls.release()
    await gone(...(await api<ListRoutesAnswer>('GET', '/routes')).routes.map(({ route }) => route.route_rule_id))
  })

  async function api<B>(method: string, path: string, body?: unknown, expected = [200, 201]): Promise<B> {
    const reply = await panel.request(method, path, body)
    assert.ok(expected.includes(reply.status), `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body as B
  }
  const made = async (bind_port: number, fields: object = {}): Promise<number> =>
    (
      await api<ChangeRouteAnswer>('POST', '/routes', {
        bind_address: RELAY,
        bind_port,
        destination_address: ONE,
        destination_port: 80,
        ...fields,
      })
    ).route.route_rule_id
  const traffic = async (id: number): Promise<RouteTrafficAnswer['traffic']> =>
    (await api<RouteTrafficAnswer>('GET', `/routes/${id}/traffic`)).traffic
  const gone = async (...ids: number[]): Promise<void> => {
    for (const id of ids) await api('DELETE', `/routes/${id}`)
  }
  /** Waits for the reported health of a rule, one report after the other. */
  function blockMessage(id: number): (to: string) => Promise<void> {
    const reported: (string | null)[] = []
    return async (to) => {
      await eventually(async () => {
        reported.push(...(await panel.healths()).filter((one) => one.route_rule_id === id).map((one) => one.to))
        return reported.includes(to)
      }, `the health becomes ${to}`)
      reported.splice(0, reported.indexOf(to) + 1)
    }
  }
  const arrived = async (): Promise<number> => (await rig.servers.calls.received())['udp 90 datagrams'] ?? 0
  /** Sends so many and waits until they have come through the relay. */
  async function poured(datagrams: number, port: number): Promise<void> {
    const before = await arrived()
    await rig.client.calls.pour(udp(port), datagrams)
    while ((await arrived()) < before + datagrams) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  it('a refused transaction leaves the previous ruleset byte-identical and an earlier rule relaying', async () => {
    // With a limit, which has to be compiled: what goes without nft is refused in direct-commit.test.ts.
    const limit = { connection_rate_limit: 1_000_000 }
    const first = await made(1001, limit)
    const second = await made(1002, { route_protocol_id: UDP, destination_port: 90, ...limit })
    await rig.client.calls.hold('kept', tcp(1001))
    const before = rig.relay.run('nft', ['list', 'ruleset'])
    const shape = rig.relay.run('nft', ['-s', 'list', 'ruleset'])
    rig.tools.fail('refuses a line')
    const refused = async (method: string, path: string, body?: unknown): Promise<void> => {
      const { error } = await api<ErrorEnvelope>(method, path, body, [409])
      assert.deepEqual(
        [error.code, /no_such_chain|No such file/.test(error.message)],
        ['FORWARDING_APPLY_FAILED', true],
        error.message,
      )
    }
    await refused('POST', '/routes', {
      bind_address: RELAY,
      bind_port: 1003,
      destination_address: TWO,
      destination_port: 80,
      ...limit,
    })
    assert.equal(rig.relay.run('nft', ['list', 'ruleset']), before)
    const had = await arrived()
    await rig.client.calls.startFlood(udp(1002), tcp(1001))
    for (let turn = 0; turn < 2; turn += 1) {
      await refused('POST', '/routes', {
        bind_address: RELAY,
        bind_port: 1003,
        destination_address: TWO,
        destination_port: 80,
        ...limit,
      })
      await refused('PATCH', `/routes/${first}`, { connection_rate_limit: 999_999 })
      await refused('DELETE', `/routes/${second}`)
    }
    const sent = await rig.client.calls.stopFlood()
    assert.ok(sent && sent.connections > 10)
    while ((await arrived()) < had + sent.datagrams) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual(
      [sent.failed, await rig.client.calls.say('kept'), rig.relay.run('nft', ['-s', 'list', 'ruleset'])],
      [0, true, shape],
    )
    rig.tools.mend()
    await api('POST', '/routes/apply-all')
    assert.equal((await traffic(second)).tx_packets_since_creation, sent.datagrams)
    await rig.client.calls.release()
    await gone(first, second)
  })

  it('the rules of one file relay all of them, and one that the kernel refuses leaves the previous ruleset byte-identical', async () => {
    const fileOf = (count: number): object => ({
      version: 1,
      routes: Array.from({ length: count }, (_, at) => ({
        route_rule_title: `rule ${at}`,
        bind_address: RELAY,
        bind_port: 1100 + at,
        destinations: [{ address: ONE, port: 80 }],
        connection_rate_limit: 1_000_000,
      })),
    })
    await api('POST', '/desired', { document: fileOf(100) })
    const ports = [1100, 1150, 1199]
    for (const port of ports) await rig.client.calls.hold(`kept ${port}`, tcp(port))
    const before = rig.relay.run('nft', ['list', 'ruleset'])
    rig.tools.fail('refuses a line')
    const { error } = await api<ErrorEnvelope>('POST', '/desired', { document: fileOf(110) }, [409])
    assert.deepEqual([error.code, error.field], ['APPLY_FAILED', 'document.routes.100'])
    assert.equal(rig.relay.run('nft', ['list', 'ruleset']), before)
    for (const port of ports) assert.equal(await rig.client.calls.say(`kept ${port}`), true)
    rig.tools.mend()
    await api('POST', '/desired', { document: fileOf(110) })
    await rig.client.calls.hold('last', tcp(1209))
    await api('POST', '/desired', { document: { version: 1, routes: [] }, prune: 'all' })
    assert.equal((await api<ListRoutesAnswer>('GET', '/routes')).total, 0)
  })

  it('changes under continuous traffic lose no byte of the panel’s totals against the receiver’s own count', async () => {
    const counted = await made(1001, { route_protocol_id: UDP, destination_port: 90 })
    const other = await made(1002)
    const had = await rig.servers.calls.received()
    await rig.client.calls.startFlood(udp(1001), tcp(1002))
    for (let turn = 0; turn < 20; turn += 1) {
      // The rule that counts is rewritten too, and comes and goes in the order.
      const [id, body] =
        turn % 5 === 0
          ? [counted, { sort_order: turn, is_logging_enabled: turn % 2 === 0 }]
          : [other, { destinations: SERVERS.slice(0, 1 + (turn % 2)).map((address) => ({ address, port: 80 })) }]
      await api('PATCH', `/routes/${id}`, body)
      if (turn % 10 === 0) await traffic(counted)
    }
    const sent = await rig.client.calls.stopFlood()
    assert.ok(sent && sent.datagrams > 500)
    while ((await arrived()) < (had['udp 90 datagrams'] ?? 0) + sent.datagrams)
      await new Promise((resolve) => setTimeout(resolve, 5))
    const received = await rig.servers.calls.received()
    const { tx_packets_since_creation, tx_bytes_since_creation } = await traffic(counted)
    // An IPv4 and a UDP header beside what the receiver is given.
    assert.deepEqual(
      [sent.failed, tx_packets_since_creation, tx_bytes_since_creation],
      [0, sent.datagrams, (received['udp 90'] ?? 0) - (had['udp 90'] ?? 0) + 28 * sent.datagrams],
    )
    await gone(counted, other)
  })

  it('a deleted table and a flushed ruleset lose at most what moved between two samples', async () => {
    const id = await made(1001, { route_protocol_id: UDP, destination_port: 90 })
    const total = async (): Promise<number> => (await traffic(id)).tx_packets_since_creation
    let kept = 0
    for (const what of [
      ['delete', 'table', 'inet', 'panel'],
      ['flush', 'ruleset'],
    ]) {
      await poured(30, 1001)
      kept += 30
      assert.equal(await total(), kept)
      // Of these nobody knows any more: their counter goes with the table.
      await poured(7, 1001)
      rig.relay.run('nft', what)
      await api('POST', '/routes/apply-all')
      assert.equal(await total(), kept)
    }
    await poured(5, 1001)
    assert.deepEqual([await total(), (await traffic(id)).tx_packets_since_boot], [kept + 5, 5])
    await gone(id)
  })

  it('connections survive what does not concern their rule; on request those of a retargeted rule are dropped, and counted', async () => {
    const [moved, other] = [await made(1001), await made(1002)]
    for (const name of ['a', 'b']) await rig.client.calls.hold(name, tcp(1001))
    await rig.client.calls.hold('other', tcp(1002))
    await panel.count()
    const { connections_dropped } = await api<UpdateRouteAnswer>('PATCH', `/routes/${moved}`, {
      destination_address: TWO,
    })
    assert.deepEqual(
      [connections_dropped, await rig.client.calls.say('a'), await rig.client.calls.say('other')],
      [null, true, true],
    )
    await api('PATCH', `/routes/${moved}`, { destination_address: ONE })
    assert.equal(
      (await api<UpdateRouteAnswer>('PATCH', `/routes/${moved}`, { destination_address: TWO, drop_connections: true }))
        .connections_dropped,
      2,
    )
    assert.deepEqual([await rig.client.calls.say('a'), await rig.client.calls.say('other')], [false, true])
    assert.equal((await rig.client.calls.talk(tcp(1001)))?.server, `${TWO} 80`)
    for (let i = 0; i < 4; i += 1) await rig.client.calls.talk(tcp(1002))
    await panel.count()
    const others = (): Promise<ConnectionsAnswer> => api('GET', `/routes/${other}/connections`)
    assert.ok(((await others()).new_per_second ?? 0) > 0)
    await eventually(async () => (await others()).total === 1, 'the one that is held is open')
    await rig.client.calls.release()
    await gone(moved, other)
  })

  it('the health of a rule says within two seconds that another program has flushed or deleted what holds it', async () => {
    const id = await made(1001)
    await api('PUT', '/settings', { 'system.ruleset_protection': 'off' })
    await panel.watch()
    const reported = blockMessage(id)
    // The first look finds nothing to tell of, so a change shows that there was one.
    await api('POST', `/routes/${id}/disable`)
    await reported('disabled')
    await api('POST', `/routes/${id}/enable`)
    await reported('healthy')
    // One right after the other, as looking at the last must not keep from looking at the next.
    for (const what of ['flush ruleset', 'flush table inet panel', 'delete table inet panel', WITHOUT_ITS_PORT]) {
      rig.relay.nft(`${what}\n`)
      await reported('failed')
      const { routes } = await api<ReconcileAnswer>('GET', '/reconcile')
      assert.deepEqual(
        routes.map(({ route_rule_id, status }) => [route_rule_id, status]),
        [[id, 'Drifted']],
      )
      await api('POST', `/routes/${id}/reapply`)
      await reported('healthy')
    }
    await gone(id)
  })

  it("what another program flushes comes back by itself if the operator wants that, with its totals, and what is not the panel's is left alone", async () => {
    const id = await made(1001, { route_protocol_id: UDP, destination_port: 90 })
    const reported = blockMessage(id)
    await panel.watch()
    await api('POST', `/routes/${id}/disable`)
    await reported('disabled')
    await api('POST', `/routes/${id}/enable`)
    await reported('healthy')
    await poured(20, 1001)
    assert.equal((await traffic(id)).tx_packets_since_creation, 20)
    rig.relay.nft(
      'table inet theirs {\n chain forward { type filter hook forward priority 0; policy accept; counter\n }\n}\n',
    )
    const theirs = rig.relay.run('nft', ['-s', 'list', 'table', 'inet', 'theirs'])
    rig.relay.run('nft', ['delete', 'table', 'inet', 'panel'])
    await reported('failed')
    // Nothing is put back until that is turned on.
    assert.doesNotMatch(rig.relay.run('nft', ['list', 'tables']), /inet panel/)
    await panel.advance(31)
    await api('PUT', '/settings', { 'system.auto_reapply_on_drift': true })
    rig.relay.nft('add table inet news\n')
    await reported('healthy')
    await poured(5, 1001)
    assert.deepEqual(
      [(await traffic(id)).tx_packets_since_creation, rig.relay.run('nft', ['-s', 'list', 'table', 'inet', 'theirs'])],
      [25, theirs],
    )
    rig.relay.run('nft', ['flush', 'ruleset'])
    await reported('failed')
    // The second time it is put back after a pause.
    await panel.advance(31)
    rig.relay.nft('add table inet news\ndelete table inet news\n')
    await reported('healthy')
    await poured(7, 1001)
    const { tx_packets_since_boot, tx_packets_since_creation } = await traffic(id)
    assert.deepEqual([tx_packets_since_boot, tx_packets_since_creation], [7, 32])
    assert.equal(rig.relay.run('nft', ['list', 'tables']).trim(), 'table inet panel')
    await api('PUT', '/settings', { 'system.auto_reapply_on_drift': false })
    await gone(id)
  })
})
